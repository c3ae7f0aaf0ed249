/** Rejecting several requests at once needs one reason, which each of the people reads. */
import { Button, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../parts/dialog.js';
import { useWords } from '../words/words.js';

export function RejectDialog({
  open,
  title,
  onClose,
  onReject,
}: {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly onReject: (comment: string) => void;
}): ReactNode {
  const words = useWords();
  const [comment, setComment] = useState('');
  const [fault, setFault] = useState(false);
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (comment.trim() === '') setFault(true);
          else onReject(comment);
        }}
      >
        <Textarea
          label={words.approvals_comment}
          description={words.approvals_comment_hint}
          value={comment}
          maxLength={1000}
          error={fault ? words.approvals_comment_needed : undefined}
          onChange={(event) => {
            setComment(event.currentTarget.value);
            setFault(false);
          }}
          data-autofocus
        />
        <div className="end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit">{words.approvals_reject}</Button>
        </div>
      </form>
    </Dialog>
  );
}

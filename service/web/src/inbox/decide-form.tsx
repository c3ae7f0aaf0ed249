/** Approves or rejects the opened request with a comment, which the person reads. */
import { Button } from '@mantine/core';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { useWords } from '../words/words.js';
import { KeyCap } from './inbox-keys.js';

export interface DecisionComment {
  readonly text: string;
  readonly isMissing: boolean;
  readonly field: RefObject<HTMLInputElement | null>;
  change(text: string): void;
  /** @returns whether there is one; if not, the field asks for it */
  demand(): boolean;
}

export function useDecisionComment(): DecisionComment {
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  return {
    text,
    isMissing,
    field,
    change(newText) {
      setText(newText);
      setMissing(false);
    },
    demand() {
      if (text.trim() !== '') return true;
      setMissing(true);
      field.current?.focus();
      return false;
    },
  };
}

export interface DecideFormProps {
  readonly comment: DecisionComment;
  readonly keys: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
  /** Undefined for the last request. */
  readonly onSkip: (() => void) | undefined;
}

export function DecideForm({ comment, keys, onApprove, onReject, onSkip }: DecideFormProps): ReactNode {
  const words = useWords();
  return (
    <form
      className="inbox-decide"
      onSubmit={(event) => {
        event.preventDefault();
        onReject();
      }}
    >
      <Button className="approve" onClick={onApprove}>
        {words.approvals_approve} <KeyCap on={keys} name="a" />
      </Button>
      <Button type="submit" variant="default">
        {words.approvals_reject} <KeyCap on={keys} name="r" />
      </Button>
      <div className="grow">
        <input
          ref={comment.field}
          className="field"
          aria-label={words.approvals_comment}
          aria-invalid={comment.isMissing || undefined}
          aria-describedby={comment.isMissing ? 'comment-fault' : 'comment-hint'}
          placeholder={words.approvals_comment}
          maxLength={1000}
          value={comment.text}
          onChange={(event) => comment.change(event.currentTarget.value)}
        />
        {comment.isMissing ? (
          <span id="comment-fault" className="field-fault" role="alert">
            {words.approvals_comment_needed}
          </span>
        ) : (
          <span id="comment-hint" className="field-hint">
            {words.approvals_comment_hint}
          </span>
        )}
      </div>
      <Button variant="subtle" className="skip-button" disabled={onSkip === undefined} onClick={onSkip}>
        {words.approvals_skip} <KeyCap on={keys} name="j" />
      </Button>
    </form>
  );
}

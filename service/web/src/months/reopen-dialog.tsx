/** Re-opening a month needs a reason, which stands in the audit log. */
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { useDays } from '../parts/calendar.js';
import { Dialog } from '../parts/dialog.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

export function ReopenDialog({
  company,
  month,
  onClose,
  onDone,
}: {
  readonly company: number;
  readonly month: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const [reason, setReason] = useState('');
  const reopening = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/admin/companies/{id}/months/{month}/reopen', {
          params: { path: { id: company, month } },
          body: { reason },
        }),
      ),
    onSuccess: onDone,
  });
  return (
    <Dialog open onClose={onClose} title={words.months_reopen_title(calendar.month(month))}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          reopening.mutate();
        }}
      >
        <p>{words.months_reopen_text}</p>
        <ProblemNotice problem={reopening.error} />
        <Textarea
          label={words.months_reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={1000}
          required
          data-autofocus
        />
        <div className="end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={reopening.isPending}>
            {words.months_reopen}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

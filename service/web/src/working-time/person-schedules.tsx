/** Target hours, each from a day on, and the balance a person started with. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Changing } from '../parts/own-record.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { Schedules } from './schedules.js';
import { signedMinutes } from './signed-minutes.js';
import { SpecialRules } from './special-rules.js';

export function PersonSchedules({ id, zone }: { readonly id: number; readonly zone: Zone }): ReactNode {
  return (
    <>
      <Schedules of={{ person: id }} zone={zone} />
      <SpecialRules id={id} zone={zone} />
      <Changing visible>
        <OpeningBalance id={id} />
      </Changing>
    </>
  );
}

function OpeningBalance({ id }: { readonly id: number }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const key = ['opening-balance', id];
  const queries = useQueryClient();
  const opening = useQuery({
    queryKey: key,
    queryFn: () => ask(client.GET('/app/admin/people/{id}/opening-balance', { params: { path: { id } } })),
  });
  const [date, setDate] = useState<string>();
  const [text, setText] = useState<string>();
  const shownDate = date ?? opening.data?.date ?? '';
  const shownText = text ?? (opening.data === undefined ? '' : calendar.signed(opening.data.balance_minutes));
  const minutes = signedMinutes(shownText);
  const saving = useMutation({
    mutationFn: (body: Schemas['OpeningBalance']) =>
      ask(client.PUT('/app/admin/people/{id}/opening-balance', { params: { path: { id } }, body })),
    onSuccess: (savedBalance) => {
      queries.setQueryData(key, savedBalance);
      setDate(undefined);
      setText(undefined);
    },
  });
  if (opening.data === undefined) return null;
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (minutes !== undefined && shownDate !== '') saving.mutate({ date: shownDate, balance_minutes: minutes });
      }}
    >
      <h2>{words.opening_title}</h2>
      <p className="hint">{words.opening_text}</p>
      <ProblemNotice problem={saving.error} />
      <div className="fields">
        <DayField label={words.opening_date} value={shownDate} onChange={setDate} required />
        <TextInput
          label={words.opening_balance}
          description={words.opening_balance_help}
          value={shownText}
          error={minutes === undefined ? words.schedule_unreadable : undefined}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Done>{saving.isSuccess ? words.saved : undefined}</Done>
      <div className="end">
        <Button type="submit" variant="default" loading={saving.isPending} disabled={minutes === undefined}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}

/** The vacation account of a person, line by line, and the form with which HR books days in it. */
import { Button, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Changing } from '../parts/own-record.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { VacationStatement } from './vacation-statement.js';

const kinds = ['correction', 'payout', 'expiry'] as const;

export function VacationBookings({
  id,
  zone,
  year,
}: {
  readonly id: number;
  readonly zone: Zone;
  readonly year: number;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const statement = useQuery({
    queryKey: ['vacation-of', id, 'statement', year],
    queryFn: () =>
      ask(client.GET('/app/admin/people/{id}/vacation-bookings', { params: { path: { id }, query: { year } } })),
  });
  const [kind, setKind] = useState<(typeof kinds)[number]>('correction');
  const [days, setDays] = useState<number | string>('');
  const [date, setDate] = useState(calendar.today);
  const [reason, setReason] = useState('');
  // People write payouts and expiries without a sign.
  const signedDays = kind === 'correction' ? Number(days) : -Math.abs(Number(days));
  const booking = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/admin/people/{id}/vacation-bookings', {
          params: { path: { id } },
          body: { kind, days: signedDays, date, reason },
        }),
      ),
    onSuccess: () => {
      setDays('');
      setReason('');
      void queries.invalidateQueries({ queryKey: ['vacation-of', id] });
    },
  });
  return (
    <>
      <section className="panel" aria-label={words.statement_title}>
        <h2 className="panel-head">{words.statement_title}</h2>
        <QueryState of={statement}>{(account) => <VacationStatement of={account} zone={zone} />}</QueryState>
      </section>
      <Changing>
        <form
          className="panel form-card"
          aria-label={words.booking_title}
          onSubmit={(event) => {
            event.preventDefault();
            booking.mutate();
          }}
        >
          <h2>{words.booking_title}</h2>
          <p className="hint">{words.booking_text}</p>
          {kind === 'payout' && <p className="hint">{words.booking_payout_law}</p>}
          <ProblemNotice
            problem={booking.error}
            labels={{ date: words.booking_date, days: words.booking_days, reason: words.booking_reason }}
          />
          <div className="fields">
            <NativeSelect
              label={words.booking_kind}
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as typeof kind)}
              data={kinds.map((value) => ({ value, label: words.booking_kinds[value] }))}
            />
            <NumberInput
              label={words.booking_days}
              description={words.booking_days_help[kind] || undefined}
              value={days}
              onChange={setDays}
              min={kind === 'correction' ? -366 : 0}
              max={366}
              step={0.5}
              hideControls
              required
            />
            <DayField label={words.booking_date} value={date} onChange={setDate} required />
            <TextInput
              label={words.booking_reason}
              value={reason}
              maxLength={1000}
              required
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          </div>
          <Done>
            {booking.data === undefined ? undefined : words.booking_done(calendar.days(booking.data.left_days))}
          </Done>
          <div className="end">
            <Button type="submit" loading={booking.isPending}>
              {words.booking_book}
            </Button>
          </div>
        </form>
      </Changing>
    </>
  );
}

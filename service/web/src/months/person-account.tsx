/** The time account of a person for HR: bookings, cancelling them, and limits of its own. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Dialog } from '../parts/dialog.js';
import { Changing, useRefused } from '../parts/own-record.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { signedMinutes } from '../working-time/signed-minutes.js';
import { FlexitimeLimits } from './flexitime-limits.js';
import { TimeAccount } from './time-account.js';

const kinds = ['correction', 'payout', 'expiry'] as const;
type Line = Schemas['TimeAccountLine'];

export function PersonAccount({ id, zone }: { readonly id: number; readonly zone: Zone }): ReactNode {
  const isRefused = useRefused();
  const [cancelling, setCancelling] = useState<Line>();
  return (
    <>
      <TimeAccount id={id} zone={zone} {...(isRefused ? {} : { onCancel: setCancelling })} />
      <Changing>
        <Booking id={id} zone={zone} />
      </Changing>
      <Changing visible>
        <FlexitimeLimits of={{ person: id }} />
      </Changing>
      {cancelling !== undefined && (
        <Cancellation
          key={cancelling.id}
          id={id}
          zone={zone}
          line={cancelling}
          onClose={() => setCancelling(undefined)}
        />
      )}
    </>
  );
}

function Booking({ id, zone }: { readonly id: number; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const [kind, setKind] = useState<(typeof kinds)[number]>('correction');
  const [text, setText] = useState('');
  const [date, setDate] = useState(calendar.today);
  const [reason, setReason] = useState('');
  const minutes = signedMinutes(text);
  const isUnreadable = text.trim() !== '' && minutes === undefined;
  const booking = useMutation({
    mutationFn: (minutes: number) =>
      ask(
        client.POST('/app/admin/people/{id}/time-bookings', {
          params: { path: { id } },
          // People write payouts and expiries without a sign.
          body: { kind, minutes: kind === 'correction' ? minutes : -Math.abs(minutes), date, reason },
        }),
      ),
    onSuccess: () => {
      setText('');
      setReason('');
      void queries.invalidateQueries({ queryKey: ['time-account', id] });
      void queries.invalidateQueries({ queryKey: ['months-of', id] });
    },
  });
  return (
    <form
      className="panel form-card"
      aria-label={words.account_book_title}
      onSubmit={(event) => {
        event.preventDefault();
        if (minutes !== undefined) booking.mutate(minutes);
      }}
    >
      <h2>{words.account_book_title}</h2>
      <p className="hint">{words.account_book_text}</p>
      <ProblemNotice
        problem={booking.error}
        labels={{ date: words.booking_date, minutes: words.account_minutes, reason: words.booking_reason }}
      />
      <div className="fields">
        <NativeSelect
          label={words.booking_kind}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as typeof kind)}
          data={kinds.map((value) => ({ value, label: words.booking_kinds[value] }))}
        />
        <TextInput
          label={words.account_minutes}
          description={kind === 'correction' ? words.opening_balance_help : words.account_taken_away}
          value={text}
          error={isUnreadable ? words.schedule_unreadable : undefined}
          onChange={(event) => setText(event.currentTarget.value)}
          required
        />
        <DayField label={words.booking_date} value={date} onChange={setDate} max={calendar.today} required />
        <TextInput
          label={words.booking_reason}
          value={reason}
          maxLength={1000}
          required
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </div>
      <Done>
        {booking.data === undefined
          ? undefined
          : words.account_booked(
              booking.data.balance_minutes === undefined ? undefined : calendar.signed(booking.data.balance_minutes),
            )}
      </Done>
      <div className="end">
        <Button type="submit" loading={booking.isPending}>
          {words.booking_book}
        </Button>
      </div>
    </form>
  );
}

function Cancellation({
  id,
  zone,
  line,
  onClose,
}: {
  readonly id: number;
  readonly zone: Zone;
  readonly line: Line;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const [date, setDate] = useState(line.date);
  const [reason, setReason] = useState('');
  const cancelling = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/admin/people/{id}/time-bookings/{booking_id}/cancellation', {
          params: { path: { id, booking_id: line.id! } },
          body: { date, reason },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['time-account', id] });
      void queries.invalidateQueries({ queryKey: ['months-of', id] });
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={words.account_cancel_title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          cancelling.mutate();
        }}
      >
        <p>{words.account_cancel_text(calendar.day(line.date), calendar.signed(-line.minutes))}</p>
        <ProblemNotice problem={cancelling.error} labels={{ date: words.booking_date, reason: words.booking_reason }} />
        <DayField
          label={words.booking_date}
          description={words.account_cancel_date}
          value={date}
          onChange={setDate}
          min={line.date}
          max={calendar.today}
          required
        />
        <TextInput
          label={words.booking_reason}
          value={reason}
          maxLength={1000}
          required
          data-autofocus
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div className="end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={cancelling.isPending}>
            {words.account_cancel_now}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

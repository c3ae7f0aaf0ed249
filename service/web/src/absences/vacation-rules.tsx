/** The vacation days of everyone without days of their own, and carrying the rest of a year over. */
import { Button, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { useCalendar } from '../parts/calendar.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { EntitlementsOfMany } from './entitlements.js';

const proRataRules = ['none', 'statutory', 'twelfths'] as const;
type ProRata = (typeof proRataRules)[number];

export function VacationRules({ id, zone }: { readonly id: number; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const key = ['rules', 'vacation', id];
  const policy = useQuery({
    queryKey: key,
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/vacation-policy', { params: { path: { id } } })),
  });
  const [days, setDays] = useState<number | string>();
  const [until, setUntil] = useState<string>();
  const [proRata, setProRata] = useState<ProRata>();
  const rule = proRata ?? (policy.data?.pro_rata as ProRata | undefined) ?? 'none';
  // The contract writes the day as MM-DD; the page as people do, day first.
  const shownUntil = until ?? (policy.data?.carry_over_until ?? '').split('-').reverse().join('.');
  const dayAndMonth = /^\s*(\d{1,2})\.(\d{1,2})\.?\s*$/.exec(shownUntil);
  const fault = shownUntil.trim() !== '' && dayAndMonth === null;
  const saving = useMutation({
    mutationFn: () =>
      ask(
        client.PUT('/app/admin/companies/{id}/vacation-policy', {
          params: { path: { id } },
          body: {
            days: Number(days ?? policy.data?.days ?? 0),
            pro_rata: rule,
            ...(dayAndMonth === null
              ? {}
              : { carry_over_until: `${dayAndMonth[2]!.padStart(2, '0')}-${dayAndMonth[1]!.padStart(2, '0')}` }),
          },
        }),
      ),
    onSuccess: (savedPolicy) => queries.setQueryData(key, savedPolicy),
  });
  return (
    <QueryState of={policy}>
      {(shownPolicy) => (
        <>
          <form
            className="panel form-card"
            onSubmit={(event) => {
              event.preventDefault();
              if (!fault) saving.mutate();
            }}
          >
            <p className="hint">{words.policy_text}</p>
            <ProblemNotice problem={saving.error} />
            <div className="fields">
              <NumberInput
                label={words.policy_days}
                value={days ?? shownPolicy.days ?? ''}
                onChange={setDays}
                min={0}
                max={366}
                step={0.5}
                hideControls
                required
              />
              <TextInput
                label={words.policy_until}
                placeholder="31.03."
                value={shownUntil}
                error={fault ? words.policy_until_fault : undefined}
                onChange={(event) => setUntil(event.currentTarget.value)}
              />
              <NativeSelect
                label={words.pro_rata}
                value={rule}
                onChange={(event) => setProRata(event.currentTarget.value as ProRata)}
                data={proRataRules.map((value) => ({ value, label: words.pro_rata_rules[value] }))}
              />
            </div>
            <p className="hint">{words.pro_rata_help[rule]}</p>
            <Done>{saving.isSuccess ? words.saved : undefined}</Done>
            <div className="end">
              <Button type="submit" loading={saving.isPending}>
                {words.save}
              </Button>
            </div>
          </form>
          <EntitlementsOfMany id={id} zone={zone} usualDays={shownPolicy.days} />
          <CarryOver id={id} zone={zone} />
        </>
      )}
    </QueryState>
  );
}

/** Shows the people who carry days into the next year, their days and the deadline, then carries them over. */
function CarryOver({ id, zone }: { readonly id: number; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const thisYear = Number(calendar.today.slice(0, 4));
  const [year, setYear] = useState(thisYear - 1);
  const [isConfirming, setConfirming] = useState(false);
  const request = { params: { path: { id } }, body: { from_year: year } } as const;
  const key = ['rules', 'carry-over', id];
  const preview = useQuery({
    queryKey: [...key, year],
    queryFn: () => ask(client.POST('/app/admin/companies/{id}/vacation-carry-over/preview', request)),
  });
  const carrying = useMutation({
    mutationFn: () => ask(client.POST('/app/admin/companies/{id}/vacation-carry-over', request)),
    onSuccess: () => void queries.invalidateQueries({ queryKey: key }),
  });
  const changes = (preview.data?.data ?? []).filter((row) => row.changes);
  return (
    <section className="panel form-card" aria-label={words.carry_title}>
      <h2>{words.carry_title}</h2>
      <p>{words.carry_text(String(year), String(year + 1))}</p>
      <div className="fields">
        <NativeSelect
          label={words.carry_year}
          value={String(year)}
          onChange={(event) => {
            carrying.reset();
            setYear(Number(event.currentTarget.value));
          }}
          data={[thisYear - 1, thisYear].map(String)}
        />
      </div>
      <ProblemNotice problem={carrying.error} />
      <QueryState of={preview}>
        {({ data }) =>
          changes.length === 0 ? (
            <p className="hint">{data.length === 0 ? words.carry_nobody : words.carry_all_done}</p>
          ) : (
            <table className="grid">
              <thead>
                <tr>
                  <th scope="col">{words.people_name}</th>
                  <th scope="col">{words.carry_so_far}</th>
                  <th scope="col">{words.carry_days}</th>
                  <th scope="col">{words.carry_until}</th>
                  <th scope="col">{words.carry_expired(String(year))}</th>
                </tr>
              </thead>
              <tbody>
                {changes.map(({ person, days, carried_over_days, carry_over_until, expired_days }) => (
                  <tr key={person.id}>
                    <th scope="row">
                      <bdi>{person.name}</bdi>
                    </th>
                    <td data-label={words.carry_so_far}>{calendar.days(carried_over_days)}</td>
                    <td data-label={words.carry_days}>{calendar.days(days)}</td>
                    <td data-label={words.carry_until}>
                      {carry_over_until === undefined ? words.never : calendar.day(carry_over_until)}
                    </td>
                    <td data-label={words.carry_expired(String(year))}>{calendar.days(expired_days)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </QueryState>
      <Done>{carrying.data === undefined ? undefined : words.carry_done(carrying.data.data.length)}</Done>
      <div>
        <Button
          variant="default"
          loading={carrying.isPending}
          disabled={changes.length === 0}
          onClick={() => setConfirming(true)}
        >
          {words.carry_now(String(year))}
        </Button>
      </div>
      <ConfirmDialog
        open={isConfirming}
        title={words.carry_title}
        action={words.carry_now(String(year))}
        onClose={() => setConfirming(false)}
        onConfirm={() => {
          setConfirming(false);
          carrying.mutate();
        }}
      >
        <p>{words.carry_text(String(year), String(year + 1))}</p>
      </ConfirmDialog>
    </section>
  );
}

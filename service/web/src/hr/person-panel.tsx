/** A person beside the list: the facts that are needed most, and the way to the rest. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { Facts } from '../parts/facts.js';
import { Initials } from '../parts/glyph.js';
import { QueryState } from '../parts/page.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { InvitationButton } from './invitation.js';
import { PersonFigures } from './person-figures.js';

export function PersonPanel({
  id,
  position,
  count,
  onStep,
  onClose,
}: {
  readonly id: number;
  readonly position: number;
  readonly count: number;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  const person = useQuery({
    queryKey: ['person', id],
    queryFn: () => ask(client.GET('/app/admin/people/{id}', { params: { path: { id } } })),
  });
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [role="dialog"]'))
        return;
      if (event.key === 'Escape') onClose();
      if (event.key === 'j') onStep(1);
      if (event.key === 'k') onStep(-1);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
  return (
    <aside className="panel side" aria-label={words.person_title}>
      <div className="side-top">
        <span className="muted grow">{position >= 0 && words.approvals_position(position + 1, String(count))}</span>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onStep(-1)}
          disabled={position <= 0}
          aria-label={words.person_previous}
        >
          ↑
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onStep(1)}
          disabled={position >= count - 1}
          aria-label={words.person_next}
        >
          ↓
        </Button>
        <Button size="compact-sm" variant="default" onClick={onClose} aria-label={words.close}>
          ✕
        </Button>
      </div>
      <QueryState of={person}>{(details) => <Summary person={details} />}</QueryState>
    </aside>
  );
}

function Summary({ person }: { readonly person: Schemas['Person'] }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(person));
  return (
    <>
      <div className="detail-head">
        <Initials name={person.display_name} large />
        <div>
          <h2>
            <bdi>{person.display_name}</bdi>
          </h2>
          <p className="muted">
            <bdi>{[person.department?.name, person.personnel_number].filter(Boolean).join(' · ')}</bdi>
          </p>
        </div>
      </div>
      <PersonFigures person={person} />
      <Facts
        of={[
          [words.person_email, person.email],
          [words.people_sign_in, words.person_sign_ins[person.sign_in]],
          [words.person_factor, person.second_factor ? words.person_yes : words.person_no],
          [
            words.person_employed,
            person.employment_start === undefined
              ? undefined
              : words.person_since(calendar.day(person.employment_start), person.employment_start.slice(0, 4)),
          ],
          [words.people_role, person.roles.map(({ role }) => words.roles[role]).join(', ') || words.role_none],
          [words.person_badges, String(person.badges)],
        ]}
      />
      <div className="side-foot">
        <Button component={Link} href={`/company/people/${person.id}`}>
          {words.person_open}
        </Button>
        {person.active && person.sign_in === 'invited' && <InvitationButton person={person} />}
      </div>
    </>
  );
}

/** The first day: the needs of a new company, in order. A finished step is ticked automatically. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import { holds } from '../api/session.js';
import { Glyph } from '../parts/glyph.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

export function StartPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const { id } = session.company;
  const path = { id };
  const company = useQuery({
    queryKey: ['company', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}', { params: { path } })),
  });
  const policy = useQuery({
    queryKey: ['rules', 'vacation', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/vacation-policy', { params: { path } })),
  });
  const schedules = useQuery({
    queryKey: ['rules', 'schedules', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/schedules', { params: { path } })),
  });
  const root = holds(session, 'super_admin');
  // Super admins can switch terminals on; for others the step begins when terminals are on.
  const connectsTerminals = root || session.features.terminals;
  const terminals = useQuery({
    queryKey: ['terminals', 'any', id],
    queryFn: () => ask(client.GET('/app/admin/terminals', { params: { query: { company_id: id, limit: 1 } } })),
    enabled: connectsTerminals,
  });
  const extensions = useQuery({
    queryKey: ['extensions', 'any'],
    queryFn: () => ask(client.GET('/app/admin/extensions', { params: { query: { limit: 1 } } })),
    enabled: root && session.features.extensions,
  });
  const steps: readonly (readonly [title: string, text: string, done: boolean | undefined, href: string])[] = [
    [words.start_company, words.start_company_text, company.data?.region !== undefined, '/company/rules'],
    [
      words.start_departments,
      words.start_departments_text,
      company.data && company.data.departments.length > 0,
      '/company/departments',
    ],
    [
      words.start_hours,
      words.start_hours_text,
      schedules.data && schedules.data.data.length > 0 ? true : undefined,
      '/company/rules?tab=hours',
    ],
    [words.start_vacation, words.start_vacation_text, policy.data?.days !== undefined, '/company/rules?tab=vacation'],
    [words.start_types, words.start_types_text, undefined, '/company/rules?tab=types'],
    [words.start_people, words.start_people_text, company.data && company.data.people_count > 1, '/company/people/new'],
    ...(connectsTerminals
      ? ([
          [
            words.start_terminal,
            session.features.terminals ? words.start_terminal_text : words.start_terminal_off,
            terminals.data && terminals.data.data.length > 0,
            session.features.terminals ? '/admin/terminals' : '/admin/access',
          ],
        ] as const)
      : []),
    ...(root && session.features.extensions
      ? ([
          [
            words.start_extension,
            words.start_extension_text,
            extensions.data && extensions.data.data.length > 0,
            '/admin/extensions/new',
          ],
        ] as const)
      : []),
  ];
  return (
    <Page title={words.start_title} lead={words.start_text}>
      <ProblemNotice problem={company.error ?? policy.error ?? schedules.error} />
      <ol className="steps">
        {steps.map(([title, text, isDone, href], index) => (
          <li key={title} className="step" data-done={isDone === true ? '' : undefined}>
            <span className="step-number" aria-hidden="true">
              {isDone === true ? <Glyph name="check" /> : index + 1}
            </span>
            <div className="panel step-body">
              <h2>
                <Link href={href} className="link">
                  {title}
                </Link>{' '}
                <small>{isDone === true ? words.months_done : isDone === undefined ? words.start_optional : ''}</small>
              </h2>
              <p className="hint">{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </Page>
  );
}

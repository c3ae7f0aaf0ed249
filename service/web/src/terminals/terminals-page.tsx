/** Every entrance, and whether its door works. */
import { Anchor, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import { GrowingList } from '../parts/growing-list.js';
import { withNames } from '../parts/names.js';
import { Page } from '../parts/page.js';
import { Done } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { useAgo } from './ago.js';
import { terminalsKey } from './keys.js';
import { TerminalState, useOffset } from './terminal-state.js';
import './entrances.css';

export function TerminalsPage(): ReactNode {
  const words = useWords();
  const { ago } = useAgo();
  const offset = useOffset();
  const removedName = new URLSearchParams(useSearch()).get('removed');
  const terminals = usePagesOf([...terminalsKey, 'list'], (cursor) =>
    ask(client.GET('/app/admin/terminals', { params: { query: { cursor } } })),
  );
  return (
    <Page title={words.terminals_title} lead={words.terminals_text}>
      <Done>{removedName === null ? undefined : withNames(words.terminal_removed, removedName)}</Done>
      <Group>
        <Button component={Link} href="/admin/terminals/new">
          {words.terminal_add}
        </Button>
      </Group>
      <GrowingList of={terminals} none={words.terminals_none}>
        {(rows) => (
          <table className="table terminals" aria-label={words.terminals_title}>
            <thead>
              <tr>
                <th scope="col">{words.terminal_name}</th>
                <th scope="col">{words.terminal_state}</th>
                <th scope="col">{words.terminal_seen}</th>
                <th scope="col">{words.terminal_reader}</th>
                <th scope="col">{words.terminal_agent}</th>
                <th scope="col">{words.terminal_clock}</th>
                <th scope="col">{words.terminal_offline}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((terminal) => (
                <tr key={terminal.id}>
                  <td data-label={words.terminal_name}>
                    <span>
                      <Anchor component={Link} href={`/admin/terminals/${terminal.id}`}>
                        <bdi>{terminal.name}</bdi>
                      </Anchor>
                      <span className="entrance-note">
                        <bdi>{terminal.location}</bdi>
                      </span>
                    </span>
                  </td>
                  <td data-label={words.terminal_state}>
                    <span>
                      <TerminalState terminal={terminal} />
                    </span>
                  </td>
                  <td data-label={words.terminal_seen}>
                    {terminal.last_seen_at === undefined ? words.never : ago(terminal.last_seen_at)}
                  </td>
                  <td data-label={words.terminal_reader}>
                    <bdi>{terminal.reader ?? words.not_reported}</bdi>
                  </td>
                  <td data-label={words.terminal_agent}>{terminal.agent_version ?? words.not_reported}</td>
                  <td data-label={words.terminal_clock}>
                    {terminal.clock_offset_ms === undefined ? words.not_reported : offset(terminal.clock_offset_ms)}
                  </td>
                  <td data-label={words.terminal_offline}>{terminal.offline_waiting ?? words.not_reported}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </GrowingList>
    </Page>
  );
}

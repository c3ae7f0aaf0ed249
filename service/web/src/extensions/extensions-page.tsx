/** All integrations of the installation. */
import { Anchor, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import { useFormats } from '../parts/formats.js';
import { GrowingList } from '../parts/growing-list.js';
import { withNames } from '../parts/names.js';
import { Page } from '../parts/page.js';
import { Done } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

export function ExtensionsPage(): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const deletedName = new URLSearchParams(useSearch()).get('deleted');
  const extensions = usePagesOf(['extensions'], (cursor) =>
    ask(client.GET('/app/admin/extensions', { params: { query: { cursor } } })),
  );
  return (
    <Page
      title={words.extensions_title}
      lead={words.extensions_text}
      action={
        <Button component={Link} href="/admin/extensions/new">
          {words.extension_new}
        </Button>
      }
    >
      <Done>{deletedName === null ? undefined : withNames(words.extension_deleted, deletedName)}</Done>
      <GrowingList of={extensions} none={words.extensions_none}>
        {(rows) => (
          <table className="table" aria-label={words.extensions_title}>
            <thead>
              <tr>
                <th scope="col">{words.extension_column_name}</th>
                <th scope="col">{words.extension_column_mode}</th>
                <th scope="col">{words.extension_column_acting}</th>
                <th scope="col">{words.extension_column_key}</th>
                <th scope="col">{words.extension_column_links}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((extension) => {
                const lastUsedAt = extension.keys.find((key) => key.current)?.last_used_at;
                return (
                  <tr key={extension.id}>
                    <td data-label={words.extension_column_name}>
                      <Anchor component={Link} href={`/admin/extensions/${extension.id}`}>
                        <bdi>{extension.name}</bdi>
                      </Anchor>
                    </td>
                    <td data-label={words.extension_column_mode}>{words.modes[extension.mode]}</td>
                    <td data-label={words.extension_column_acting}>{words.actings[extension.acting]}</td>
                    <td data-label={words.extension_column_key}>
                      {lastUsedAt === undefined ? words.never : formats.instant(lastUsedAt)}
                    </td>
                    <td data-label={words.extension_column_links}>{extension.links}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        )}
      </GrowingList>
    </Page>
  );
}

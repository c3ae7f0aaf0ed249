/** The table of settings in the docs is made from the settings. UPDATE_DOCS=1 writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { indexerSettings } from '../src/config.js';
import { packageFolder } from '../src/package-folder.js';

const page = join(packageFolder, '../docs/operations/indexer.md');
const place = /<!-- settings of the indexer -->\n[\s\S]*?<!-- end -->/;

it('the page of settings shows every setting as it is', () => {
  const rows = Object.entries(indexerSettings).map(
    ([name, { default: value, description, ...more }]: [
      string,
      { default?: string; description: string; secret?: boolean },
    ]) =>
      `| \`${name}\` | ${value === undefined ? (['ACCEPT_TERMS', 'CHAIN_ANCHOR_PACKAGE'].includes(name) ? 'required' : 'none') : value === '' ? 'empty' : `\`${value}\``} | ${description}${more.secret === true ? ' Secret.' : ''} |`,
  );
  const table = `<!-- settings of the indexer -->\n| Variable | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n<!-- end -->`;
  const text = readFileSync(page, 'utf8');
  expect(text).toMatch(place);
  if (process.env['UPDATE_DOCS'] === '1')
    writeFileSync(
      page,
      text.replace(place, () => table),
    );
  else expect(place.exec(text)![0]).toBe(table);
});

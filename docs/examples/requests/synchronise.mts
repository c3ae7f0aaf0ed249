// Keeps a copy of all absences: BASE_URL=… API_KEY=cpk_… npx tsx synchronise.mts copy.json, every minute.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

interface Page {
  data: { id: number }[];
  has_more: boolean;
  next_cursor: string | null;
  next_updated_since?: string;
}
interface Problem {
  code: string;
  request_id: string;
}
const [file = 'copy.json'] = process.argv.slice(2);
const copy: { since: string; absences: Record<number, object> } = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8'))
  : { since: '1970-01-01', absences: {} };

async function read(query: URLSearchParams): Promise<Page> {
  const { BASE_URL: base, API_KEY: key } = process.env;
  const response = await fetch(`${base}/api/v1/time/leaves?${query}`, { headers: { Authorization: `Bearer ${key}` } });
  if (response.status === 429 || response.status === 503) {
    await wait(1000 * Number(response.headers.get('retry-after') ?? 1));
    return read(query);
  }
  if (!response.ok) {
    const problem = (await response.json()) as Problem;
    throw new Error(`${problem.code} (${problem.request_id})`);
  }
  return (await response.json()) as Page;
}

const query = new URLSearchParams({ updated_since: copy.since, limit: '500' });
let page: Page;
do {
  page = await read(query);
  for (const absence of page.data) copy.absences[absence.id] = absence;
  if (page.next_cursor !== null) query.set('cursor', page.next_cursor);
} while (page.has_more);
// Only the last page has the position, and only a whole reading moves it.
copy.since = page.next_updated_since ?? copy.since;
// Position and records together: whatever interrupts this program, they belong to each other.
writeFileSync(`${file}.new`, JSON.stringify(copy));
renameSync(`${file}.new`, file);
console.log(`${Object.keys(copy.absences).length} absences`);

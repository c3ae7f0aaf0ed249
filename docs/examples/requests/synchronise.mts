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
interface Copy {
  since: string;
  absences: Record<number, object>;
}
const emptyCopy = (): Copy => ({ since: '1970-01-01', absences: {} });
let copy: Copy = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : emptyCopy();

/** Undefined where the position belongs to history that was replaced. */
async function read(query: URLSearchParams): Promise<Page | undefined> {
  const { BASE_URL: base, API_KEY: key } = process.env;
  const response = await fetch(`${base}/api/v1/time/leaves?${query}`, { headers: { Authorization: `Bearer ${key}` } });
  if (response.status === 429 || response.status === 503) {
    await wait(1000 * Number(response.headers.get('retry-after') ?? 1));
    return read(query);
  }
  if (!response.ok) {
    const problem = (await response.json()) as Problem;
    if (problem.code === 'history_changed') return undefined;
    throw new Error(`${problem.code} (${problem.request_id})`);
  }
  return (await response.json()) as Page;
}

const query = new URLSearchParams({ updated_since: copy.since, limit: '500' });
let page: Page | undefined;
do {
  page = await read(query);
  if (page === undefined) {
    // The copy may hold changes that no longer exist. Read everything again.
    copy = emptyCopy();
    query.set('updated_since', copy.since);
    query.delete('cursor');
    continue;
  }
  for (const absence of page.data) copy.absences[absence.id] = absence;
  if (page.next_cursor !== null) query.set('cursor', page.next_cursor);
} while (page === undefined || page.has_more);
// Only the last page has the position, and only a whole reading moves it.
copy.since = page.next_updated_since ?? copy.since;
// Position and records together: whatever interrupts this program, they belong to each other.
writeFileSync(`${file}.new`, JSON.stringify(copy));
renameSync(`${file}.new`, file);
console.log(`${Object.keys(copy.absences).length} absences`);

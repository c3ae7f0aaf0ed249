// Shows who is at work, as it changes: BASE_URL=… API_KEY=cpk_… npx tsx board.mts
import { setTimeout as wait } from 'node:timers/promises';

const { BASE_URL: base, API_KEY: key } = process.env;
interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
  next_after?: string;
}
interface State {
  user_id: number;
  state: 'in' | 'on_break' | 'out';
}

async function read<Item>(path: string, query: Record<string, string>): Promise<Page<Item>> {
  const response = await fetch(`${base}/api/v1${path}?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(40_000),
  });
  if (response.ok) return (await response.json()) as Page<Item>;
  await wait(1000 * Number(response.headers.get('retry-after') ?? 0));
  throw new Error(((await response.json()) as { code: string }).code);
}
async function readAll<Item>(path: string, cursor: Record<string, string> = {}): Promise<Item[]> {
  const { data, next_cursor: next } = await read<Item>(path, { limit: '500', ...cursor });
  return next === null ? data : [...data, ...(await readAll<Item>(path, { cursor: next }))];
}

async function follow(): Promise<never> {
  // The position first: what changes while the lists are read comes again as an event. Links are few, so this is quick.
  let { next_after: after = '' } = await read('/events', { types: 'link.ended' });
  const people = await readAll<{ id: number; display_name: string }>('/users');
  const names = new Map(people.map(({ id, display_name: name }) => [id, name]));
  const states = new Map((await readAll<State>('/clock/states')).map((state) => [state.user_id, state]));
  const namesOf = (state: string) =>
    [...states.values()].filter((one) => one.state === state).map((one) => names.get(one.user_id) ?? one.user_id);
  for (;;) {
    console.log(`at work: ${namesOf('in').join(', ')}; on a break: ${namesOf('on_break').join(', ')}`);
    const types = 'clock.in,clock.out,clock.break_start,clock.break_end';
    const news = await read<{ data: { clock_state: State } }>('/events', { types, after, wait: '30' });
    for (const { data } of news.data) states.set(data.clock_state.user_id, data.clock_state);
    after = news.next_after ?? after;
  }
}

for (;;) {
  try {
    await follow();
  } catch (error) {
    // Whatever went wrong: the lists say how it is now.
    console.error(error instanceof Error ? error.message : error);
    await wait(1000);
  }
}

/**
 * One request of the contract: openapi-fetch's types without its code, of which the pages use a small part and every
 * first load would carry all.
 */
import type { Client } from 'openapi-fetch';
import type { paths } from '../../../src/generated/app-types.js';

interface Asked {
  readonly params?: {
    readonly path?: Readonly<Record<string, string | number>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly header?: Readonly<Record<string, unknown>>;
  };
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly parseAs?: 'json' | 'blob';
  readonly keepalive?: boolean;
}

/** @param path of the contract: `/app/people/{id}` */
function addressOf(path: string, { path: parts = {}, query = {} }: NonNullable<Asked['params']>): string {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parts[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) search.append(name, String(one));
  return search.size === 0 ? address : `${address}?${search}`;
}

interface Answered {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** Requests that change something, under way, by what they ask, and how many there ever were. */
const changing = new Map<string, Promise<Answered>>();
let changes = 0;

/**
 * Some changes give the session a new cookie, as proving the second factor does. What was asked beside them with the old
 * cookie is refused although nobody signed out: it is asked once more.
 */
async function sendInSession(method: Method, path: string, asked?: Asked): Promise<Answered> {
  // A file is asked for by a button, too.
  if (method !== 'GET' || asked?.parseAs !== undefined) {
    // A button that is pressed twice asks once.
    const key = JSON.stringify([method, path, asked]);
    const same = changing.get(key);
    if (same !== undefined) return await same;
    const change = send(method, path, asked).finally(() => changing.delete(key));
    changes++;
    changing.set(key, change);
    return await change;
  }
  const before = changing.size > 0 ? undefined : changes;
  const answer = await send(method, path, asked);
  if (answer.response.status !== 401 || before === changes) return answer;
  await Promise.allSettled(changing.values());
  return await send(method, path, asked);
}

async function send(
  method: Method,
  path: string,
  { params = {}, body, headers, parseAs = 'json', ...rest }: Asked = {},
): Promise<Answered> {
  const given: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) given['content-type'] = 'application/json';
  for (const [name, value] of Object.entries({ ...params.header, ...headers }))
    if (value !== undefined) given[name.toLowerCase()] = String(value);
  const response = await fetch(addressOf(path, params), {
    method,
    headers: given,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...rest,
  });
  if (response.ok && parseAs === 'blob') return { data: await response.blob(), response };
  const text = await response.text();
  if (response.ok) return { data: text === '' ? undefined : JSON.parse(text), response };
  try {
    return { error: JSON.parse(text), response };
  } catch {
    // Not an answer of the service: a proxy's page, perhaps.
    return { error: text, response };
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Typed by the contract: what it does not describe does not compile. */
export const client = Object.fromEntries(
  methods.map((method) => [method, (path: string, asked?: Asked) => sendInSession(method, path, asked)]),
) as unknown as Pick<Client<paths>, Method>;

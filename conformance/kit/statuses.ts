/** Provokes one status at every operation that documents it and where it can be provoked from outside. */
import { keyOf } from '../peers/terminal.js';
import { type Answer, type Client, type RequestContent, whileBusy } from './client.js';
import type { Operation } from './contract.js';
import { Breach, Skipped } from './outcome.js';
import { linkScopes, type World } from './world.js';

const unknownValues: Record<string, string> = {
  id: '9007199254740000',
  tx: 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG',
  token: 'ct_nobody',
  period: '2000-01',
};
export const fill = (path: string, values: Readonly<Record<string, string>> = unknownValues): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '1');

/** The kinds of credential that it takes, by their names in the documents. */
export const security = (operation: Operation): readonly string[] =>
  ((operation.definition['security'] ?? []) as readonly object[]).flatMap((scheme) => Object.keys(scheme));
const isSigned = (operation: Operation) => security(operation).includes('terminalSignature');
const hasBody = (operation: Operation) => operation.definition['requestBody'] !== undefined;
const form = (operation: Operation) => operation.path.startsWith('/oauth/') && hasBody(operation);

/** A query that the operation takes, so that nothing else is wrong with the request. */
export function queryOf(operation: Operation): string {
  // It has begun in every time zone.
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  if (['listTimeEntries', 'listTimeBookings', 'listLeaves'].includes(operation.id))
    return `?from=${yesterday}&to=${yesterday}`;
  if (operation.id === 'listTimeBalances') return `?date=${yesterday}`;
  if (operation.id.startsWith('listRemoved')) return `?since=${yesterday}`;
  if (operation.id === 'listCompanyAbsenceTypes') return `?company_id=${unknownValues['id']}`;
  return '';
}

/** A body that has the right shape. */
export function bodyOf(operation: Operation): unknown {
  if (!hasBody(operation)) return undefined;
  const session = `csn_${'a'.repeat(20)}`;
  const bodies: Record<string, unknown> = {
    createAbsence: {
      user_id: 9_007_199_254_740_000,
      type: 'vacation',
      start_date: '2027-06-01',
      end_date: '2027-06-01',
    },
    updateAbsence: { comment: 'x' },
    pairTerminal: { code: 'AAAA-AAAA', public_key: keyOf(Buffer.alloc(32, 7)).publicKey.toString('base64') },
    openCardSession: { uid: '04782e21801d80' },
    stepCardSession: { session, response: '9100' },
    stampAtTerminal: { session, action: 'in' },
    getTerminalInfo: { session },
    endTerminalSession: { session },
    chooseTerminalPin: { session, pin: '012345' },
    claimCommitment: { seconds: 1 },
    reportAnchor: {
      tx: unknownValues['tx'],
      sender: `0x${'a'.repeat(64)}`,
      package: `0x${'b'.repeat(64)}`,
      chain: '6364aad5',
    },
    uploadOfflineStamps: { stamps: [{ number: 1, uid: '04782e21801d80', action: 'in', at: new Date().toISOString() }] },
  };
  return bodies[operation.id] ?? { user_id: 9_007_199_254_740_000 };
}

type Call = (operation: Operation, path: string, request: RequestContent) => Promise<Answer>;

/** Calls operations with a credential that they take. */
export async function authorizeCalls(world: World): Promise<Call> {
  const terminal = await world.newTerminal();
  const app = await world.app();
  const { session } = await world.signedIn();
  const { access } = await app.link(session, linkScopes);
  const link = world.bearer(access);
  const socket = await world.newExtension({ mode: 'websocket' });
  let keys = await world.newExtension();
  let usedCount = 0;
  return async (operation, path, request) => {
    const kinds = security(operation);
    if (isSigned(operation))
      return whileBusy(() => {
        const { method, sent: signedRequest } = terminal.signRequest(
          operation.method,
          path,
          undefined,
          typeof request.raw === 'string' ? { body: request.raw } : {},
        );
        return terminal.transmit({
          method,
          path,
          sent: { ...request, headers: { ...signedRequest.headers, ...request.headers } },
        });
      });
    if (kinds.includes('clientBasic'))
      return world
        .stranger()
        .call(operation.method, path, { ...request, headers: { ...app.basic(), ...request.headers } });
    if (kinds.length === 0) {
      const client: Client = operation.document === 'indexer' ? world.strangerToIndexer() : world.stranger();
      return client.call(operation.method, path, request);
    }
    if (operation.id === 'connectExtension') return socket.api.call(operation.method, path, request);
    if (!kinds.includes('apiKey')) return link.call(operation.method, path, request);
    if (++usedCount % 90 === 0) keys = await world.newExtension();
    return keys.api.call(operation.method, path, request);
  };
}

/** @throws Breach an operation answers otherwise. @throws Skipped nothing can provoke it here */
export async function provoke(world: World, status: string): Promise<void> {
  const operations = world.contract.operations.filter(({ statuses }) => statuses.includes(status));
  const faults: string[] = [];
  const from = Date.now();
  let provokedCount = 0;
  const expect = (operation: Operation, answer: Answer) => {
    provokedCount += 1;
    if (String(answer.status) !== status)
      faults.push(`${operation.id} answered ${answer.status} ${String(answer.get('code') ?? '')}`);
  };
  const bodyText = (operation: Operation) => JSON.stringify(bodyOf(operation));
  const json = { 'content-type': 'application/json' };
  if (status === '429') await exhaust(world, operations, expect);
  else if (status === '401') {
    for (const operation of operations) {
      const client = world.stranger();
      const requestBody = form(operation)
        ? { form: 'token=x&grant_type=refresh_token&refresh_token=x' }
        : hasBody(operation)
          ? { json: bodyOf(operation) }
          : {};
      expect(operation, await client.call(operation.method, fill(operation.path) + queryOf(operation), requestBody));
    }
  } else if (status === '403') {
    const userReader = await world.newExtension({ scopes: ['read:users'] });
    const { session } = await world.signedIn();
    const clockLink = world.bearer((await (await world.app()).link(session, ['read:clock_states'])).access);
    const clockReader = await world.newExtension({ scopes: ['read:clock_states'] });
    for (const operation of operations) {
      const takesKey = security(operation).includes('apiKey');
      const takesLink = security(operation).includes('personalLink');
      const hasScope = operation.definition['x-scope'] !== null;
      // An operation of terminals, or one that any key may call.
      if (takesKey ? !hasScope : !takesLink) continue;
      const api = /User(s|$)/.test(operation.id) ? clockReader.api : userReader.api;
      const path = fill(operation.path) + queryOf(operation);
      const request = hasBody(operation) ? { json: bodyOf(operation) } : {};
      expect(operation, await api.call(operation.method, path, request));
      if (!takesKey && hasScope) expect(operation, await clockLink.call(operation.method, path, request));
    }
  } else {
    const call = await authorizeCalls(world);
    for (const operation of operations) {
      const path = fill(operation.path) + queryOf(operation);
      const separator = path.includes('?') ? '&' : '?';
      if (status === '400') {
        // RFC 8414 readers may add parameters of their own.
        if (operation.id === 'getAuthorizationServerMetadata') continue;
        const body = form(operation)
          ? { form: 'surprise=1' }
          : hasBody(operation)
            ? { raw: '{"surprise":1}', headers: json }
            : {};
        expect(operation, await call(operation, hasBody(operation) ? path : `${path}${separator}surprise=1`, body));
      } else if (status === '404') {
        if (['getAuthorizationServerMetadata', 'connectExtension', 'getProof'].includes(operation.id)) continue;
        // Lists are asked for a company that does not exist, records by an id that does not exist.
        if (operation.method === 'GET') {
          const isFiltered =
            !path.includes('company_id=') &&
            world.contract.parametersOf(operation).some(({ name }) => name === 'company_id');
          expect(
            operation,
            await call(operation, isFiltered ? `${path}${separator}company_id=9007199254740000` : path, {}),
          );
        } else
          expect(
            operation,
            await call(operation, path, hasBody(operation) ? { raw: bodyText(operation), headers: json } : {}),
          );
      } else if (status === '413') {
        const largeBody = form(operation)
          ? { form: `token=${'a'.repeat(300_000)}` }
          : { raw: `{"x":"${'a'.repeat(300_000)}"}`, headers: json };
        expect(operation, await call(operation, path, largeBody));
      } else if (status === '415') {
        expect(operation, await call(operation, path, { raw: 'text', headers: { 'content-type': 'text/plain' } }));
      } else if (status === '410') {
        if (!operation.id.startsWith('listRemoved')) continue;
        const since = new Date(Date.now() - 100 * 86_400_000).toISOString();
        expect(operation, await call(operation, `${fill(operation.path)}?since=${since}`, {}));
      }
    }
  }
  if (provokedCount === 0) throw new Skipped(`${status} cannot be provoked here`);
  if (faults.length > 0 && status === '429') world.inTime(from, 60, 'using up the limit');
  if (faults.length > 0) throw new Breach(`${faults.length} of ${provokedCount}: ${faults.join('; ')}`);
}

/** Uses up what an address may ask without a credential, and then asks every operation. */
async function exhaust(
  world: World,
  operations: readonly Operation[],
  expect: (operation: Operation, answer: Answer) => void,
) {
  if (!world.local) throw new Skipped('the kit has one address towards the deployment');
  const clients = { service: world.stranger(), indexer: world.strangerToIndexer() };
  const quotas = { service: 0, indexer: 0 };
  for (const side of ['service', 'indexer'] as const) {
    if (!operations.some(({ document }) => document === side)) continue;
    const client = clients[side];
    const quota = Number(
      /;q=(\d+)/.exec((await client.get('/api/v1/status')).header('ratelimit-policy') ?? '')?.[1] ?? 0,
    );
    quotas[side] = quota;
    if (quota > 2_000) throw new Skipped(`the limit is ${quota} a minute`);
    for (let sentCount = 0; sentCount < quota + 60; sentCount += 20)
      await Promise.all(Array.from({ length: 20 }, () => client.get('/api/v1/status', { patient: false })));
  }
  for (const operation of operations) {
    const requestBody = {
      patient: false,
      ...(form(operation) ? { form: 'token=x' } : hasBody(operation) ? { json: bodyOf(operation) } : {}),
    };
    const client = clients[operation.document];
    let answer = await client.call(operation.method, fill(operation.path) + queryOf(operation), requestBody);
    // A limit that is used up comes back, some requests a second or all with the next minute.
    for (let tries = 0; answer.status !== 429 && tries < quotas[operation.document] + 30; tries++)
      answer = await client.call(operation.method, fill(operation.path) + queryOf(operation), requestBody);
    expect(operation, answer);
  }
}

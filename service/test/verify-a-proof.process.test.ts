/** What the guide to verifying a proof has its readers try: lies about a month, and what shows them. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { blocksOf, repository, runSample, sampleFolder } from '@clockproof/platform/testing/guide';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from './browser.js';
import { type Demo, startDemo } from './demo.js';

interface OwnProofs {
  readonly company_token: string;
  readonly person_token: string;
  readonly senders: readonly string[];
  readonly data: readonly { readonly period: string; readonly revision: number; readonly state: string }[];
}

const folder = sampleFolder();
let demo: Demo;
let jana: Browser;
beforeAll(async () => {
  demo = await startDemo();
  jana = await demo.signIn('Jana');
});
afterAll(async () => {
  await demo.stop();
  folder.remove();
});

const proofs = async () => (await jana.call('GET', '/app/me/proofs')).body as unknown as OwnProofs;
const [, changeMinute, laterRevision, secondRevision, lyingIndex] = blocksOf('verify-a-proof.md', 'sh').slice(-5);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function run(code: string): Promise<string> {
  const { company_token: company, person_token: person, senders, data } = await proofs();
  const env = {
    ...{ MONTH: data[0]!.period, COMPANY: company, PERSON: person, SENDER: senders[0]!, DATA: demo.folder },
    ...{ SERVICE: demo.url, INDEX: demo.target.indexer.url, LEDGER: new URL(demo.target.ledger.url).origin },
    LIAR: `http://localhost:${await freePort()}`,
  };
  // The reader stands in the repository, with the files beside them.
  const inRepository = code
    .replaceAll(/(?<= )(service|indexer|docs)\//g, `${repository}$1/`)
    .replaceAll(/jana[-2]*\.clockproof/g, (name) => join(folder.path, name));
  return runSample(folder, 'sh', `exec 2>&1\n${inRepository}`, env);
}

async function download(name: string, revision: number): Promise<void> {
  const { period } = (await proofs()).data[0]!;
  const { status, body } = await jana.call('GET', `/app/me/proofs/${period}?revision=${revision}`);
  expect(status).toBe(200);
  writeFileSync(join(folder.path, name), JSON.stringify(body));
}

async function anchored(revision: number): Promise<void> {
  for (;;) {
    const month = (await proofs()).data.find((row) => row.revision === revision);
    if (month?.state === 'anchored') return;
    await wait(200);
  }
}

async function act(path: string, body?: object): Promise<void> {
  const answer = await demo.admin.call('POST', path, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** `audit verify` names month, person and day, and the file holds. */
async function changeAMinute(): Promise<void> {
  await anchored(1);
  await download('jana.clockproof', 1);
  const output = await run(changeMinute!);
  expect(output).toMatch(/closed month NOT intact: company 1, \d{4}-\d\d-\d\d of person \d+: is not/);
  expect(output).toContain('the audit log is not intact');
  expect(output.match(/✓ holds/g)).toHaveLength(7);
}

/** Her page shows revision 2, and the old file a later version. */
async function openAgain(): Promise<void> {
  const { period } = (await proofs()).data[0]!;
  const month = `/app/admin/companies/${demo.companyId}/months/${period}`;
  await act(`${month}/reopen`, { reason: 'One minute was wrong' });
  await act(`${month}/close`);
  await anchored(2);
  expect((await proofs()).data[0]).toMatchObject({ revision: 2, changes: expect.anything() });
  await expect(run(laterRevision!)).rejects.toMatchObject({
    stdout: expect.stringContaining('7. No later revision: ✗ does not hold'),
  });
}

/** The month is found as it was. */
async function eraseColleague(): Promise<void> {
  const ole = demo.person('Ole');
  await act(`/app/admin/people/${ole.id}/deactivation`, { employment_end: new Date().toISOString().slice(0, 10) });
  await act(`/app/admin/people/${ole.id}/erasure`, { confirm_name: ole.display_name, reason: 'He asked for it' });
  await download('jana-2.clockproof', 2);
  expect((await run(secondRevision!)).match(/✓ holds/g)).toHaveLength(7);
}

/** The month is contradicted. */
async function letAnIndexLie(): Promise<void> {
  expect(await run(lyingIndex!)).toMatch(/an index contradicts the anchor of [\s\S]*\na root is contradicted/);
  expect((await proofs()).data[0]).toMatchObject({ revision: 2, state: 'contradicted' });
}

// One test: each try begins where the one before has ended, and tests run in any order.
it('the tries of the guide show a changed minute, a later version, a kept month and a lying index', async () => {
  await changeAMinute();
  await openAgain();
  await eraseColleague();
  await letAnIndexLie();
});

/** Each sample of the reference runs as readers copy it, in each language, and prints what the document promises. */
import { spawnSync } from 'node:child_process';
import { oneDialect } from '@clockproof/platform/testing/databases';
import { faultsOfSamples, sampleLanguages, samplesOf } from '@clockproof/platform/testing/samples';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { operations } from '../src/generated/contract.js';
import { createBrowser, factorKeysOf, giveCredentials, signIn } from './browser.js';
import { closeMonth, sendAbsence, sendStamp } from './builders.js';
import { addApp, consent, link, redirectUri, verifier } from './linking.js';
import { createWorld, dataKey, type World } from './world.js';

const samples = samplesOf('service');
/**
 * People have their break before they leave; an absence is withdrawn before another one takes its days; a root is
 * claimed before it is written.
 */
const isLater = (id: string) => ['clockOut', 'createAbsence', 'reportAnchor', 'revokeToken'].includes(id);
const month = '2026-11';
const ids = Object.keys(samples).filter((id) => 'curl' in samples[id]!);
const inOrder = [...ids.filter((id) => !isLater(id)), ...ids.filter(isLater)];

it('samples are there for every operation, or a guide that has its program', () => {
  expect(Object.keys(samples).sort()).toEqual(Object.keys(operations).sort());
  const otherSamples = Object.keys(samples).filter((id) => !ids.includes(id));
  expect(otherSamples.filter((id) => !/terminal|card|offline/i.test(id)).sort()).toEqual([
    'authorize',
    'connectExtension',
  ]);
});

describe.each(oneDialect)('samples on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  /** Somebody with a time entry, an absence, a closed month and a link, for one language. */
  async function prepare(language: string): Promise<(id: string) => Record<string, string>> {
    const { key } = world.planner;
    const person = await world.hire({ firstName: language, email: `${language}@clockproof.example` });
    world.set(parseInstant('2026-12-01T07:00:00Z')!);
    await closeMonth(world, { month });
    const { data: commitments } = (await world.call('GET', '/api/v1/commitments', { key })).body as {
      data: { id: number; period: string }[];
    };
    for (const verb of ['in', 'out']) await sendStamp(world, verb, person);
    const entry = await world.db.get<{ id: number }>('SELECT id FROM time_entries WHERE person_id = :person', {
      person,
    });
    const absence = await sendAbsence(world, { user_id: person, start_date: '2026-12-21', end_date: '2026-12-23' });
    await giveCredentials(world, [person], await factorKeysOf(world, dataKey));
    const browser = await signIn(world, person, createBrowser(world.url));
    const [linkedApp, otherApp] = [await addApp(world, `${language} linked`), await addApp(world, `${language} other`)];
    const scopes = ['read:clock_states', 'read:time_entries', 'read:leave_entries'];
    const tokens = await link(world, linkedApp, person, scopes, browser);
    const code = await consent(browser, otherApp, ['read:clock_states']);
    return (id) => {
      const app = id === 'exchangeToken' ? otherApp : linkedApp;
      return {
        BASE_URL: world.url,
        API_KEY: key,
        ACCESS_TOKEN: tokens.access_token,
        CLIENT_ID: app.clientId,
        CLIENT_SECRET: app.key,
        USER_ID: String(person),
        ENTRY_ID: String(entry!.id),
        ABSENCE_ID: String(absence.id),
        MONTH: month,
        COMMITMENT_ID: String(commitments.find(({ period }) => period === month)!.id),
        IDEMPOTENCY_KEY: `${language}-${id}`,
        CODE: code,
        CODE_VERIFIER: verifier,
        REDIRECT_URI: redirectUri,
        TOKEN: tokens.refresh_token,
      };
    };
  }

  const programs = { curl: 'curl', typescript: process.execPath, python: 'python3' } as const;
  for (const language of sampleLanguages) {
    const isInstalled = spawnSync(programs[language], ['--version']).status === 0;
    (isInstalled ? it : it.skip)(`run in ${language} and print what the document promises`, async () => {
      const envOf = await prepare(language);
      expect(
        await faultsOfSamples(
          'service',
          language,
          inOrder.map((id) => ({ id, env: envOf(id) })),
        ),
      ).toEqual([]);
    });
  }
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Adapter, expectRefusal, fixturesOf } from '../kit/adapter.js';
import { Breach, Inconclusive, Refused, Skipped } from '../kit/outcome.js';
import { allRequirements } from '../kit/requirements.js';
import { run } from '../kit/runner.js';
import { root } from '../kit/target.js';
import { openSmallService, type SmallService } from './small-service.js';

describe('an adapter', () => {
  const minimalAdapter: Adapter = {
    name: 'minimal',
    createCompany: async () => ({ id: 1, departments: [] }),
    createPerson: async () => {
      throw new TypeError('no such table');
    },
    createExtension: async () => {
      throw new Refused('extension_incomplete', 'a company is missing');
    },
  };
  const fixtures = fixturesOf(async () => minimalAdapter);
  const outcomeOf = (promise: Promise<unknown>) => promise.then(() => undefined).catch((error: Error) => error);

  it('an adapter skips requirements whose operation it lacks, and names it', async () => {
    const names = Object.keys(fixtures).filter((name) => !(name in minimalAdapter)) as (keyof typeof fixtures)[];
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const error = await outcomeOf((fixtures[name] as () => Promise<unknown>)());
      expect([name, error instanceof Skipped, error?.message]).toEqual([
        name,
        true,
        expect.stringMatching(/^the adapter cannot [a-z]/),
      ]);
    }
  });

  it('a failing adapter makes an outcome inconclusive', async () => {
    const error = await outcomeOf(fixtures.createPerson({} as never));
    expect(error).toBeInstanceOf(Inconclusive);
    expect(error?.message).toBe('the adapter failed to create a person: no such table');
  });

  it('an adapter tells a refusal from an accepted request, and from another refusal', async () => {
    const refusal = () => fixtures.createExtension({} as never);
    await expectRefusal(refusal(), 'extension_incomplete');
    expect(await outcomeOf(expectRefusal(refusal(), 'invalid_request'))).toBeInstanceOf(Breach);
    expect(await outcomeOf(expectRefusal(fixtures.createCompany({} as never), 'invalid_request'))).toBeInstanceOf(
      Breach,
    );
    expect(await outcomeOf(expectRefusal(fixtures.createPerson({} as never), 'x'))).toBeInstanceOf(Inconclusive);
    expect(await outcomeOf(expectRefusal(fixtures.closeMonth(1, '2026-10'), 'x'))).toBeInstanceOf(Skipped);
  });
});

describe('a service without pages like those of Clockproof', () => {
  let service: SmallService;
  beforeAll(async () => {
    service = await openSmallService();
  });
  afterAll(() => service.close());

  it('a service without such pages is judged through its own adapter, and skips what that cannot do', async () => {
    const ids = ['CLK-002', 'CLK-004', 'CLK-012', 'CLK-013', 'CLK-014', 'CLK-021', 'OAU-006', 'SEC-022', 'IDX-001'];
    const requirements = (await allRequirements()).filter(({ id }) => ids.includes(id));
    const { target, adapter } = service;
    const { results, adapter: name } = await run({ target, adapter, requirements, seed: 1 });
    expect(name).toBe('small');
    const outcomes = new Map(results.map(({ id, outcome, message }) => [id, message ?? outcome]));
    expect(Object.fromEntries(outcomes)).toEqual({
      ...Object.fromEntries(ids.slice(0, 5).map((id) => [id, 'passed'])),
      'CLK-021': 'the adapter cannot close a month',
      'OAU-006': 'the adapter cannot sign a person in',
      'SEC-022': "the adapter has none of Clockproof's pages, which this is about",
      'IDX-001': 'the target names no indexer',
    });
    expect([...service.paths].filter((path) => path.startsWith('/app/'))).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toHaveLength(4);
  });
});

describe('the pages of Clockproof', () => {
  it('the pages of Clockproof are named by its adapter and by requirements about them alone', () => {
    const files = (folder: string): string[] =>
      readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? files(path) : [path];
      });
    const filesWithIds = ['kit', 'suites', 'peers', 'report', 'roles']
      .flatMap(files)
      .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
      .filter(({ text }) => /\\?\/app\\?\//.test(text));
    const ids = filesWithIds.map(({ file }) => /[a-z]+-\d{3}/.exec(file)?.[0] ?? file);
    expect(ids.sort()).toEqual(['oau-029', 'sec-021', 'sec-022', 'sec-023', 'sec-036', 'sec-037', 'sec-041']);
    expect(filesWithIds.filter(({ text }) => !text.includes('world.pages()')).map(({ file }) => file)).toEqual([]);
  });
});

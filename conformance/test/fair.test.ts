/** The kit accuses nobody of what it could not see. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import clockproof from '../adapters/clockproof.js';
import type { Adapter } from '../kit/adapter.js';
import { Client, Connections } from '../kit/client.js';
import { reasonFor } from '../kit/coverage.js';
import { today } from '../kit/dates.js';
import { equal, NotArrived, Refused } from '../kit/outcome.js';
import type { Requirement } from '../kit/requirement.js';
import { allRequirements } from '../kit/requirements.js';
import { exitCode, judge, type Options, type Report, readContract, run } from '../kit/runner.js';
import type { Target } from '../kit/target.js';
import { type Person, World } from '../kit/world.js';
import { openReceiver } from '../peers/receiver.js';
import { html, junit } from '../report/write.js';
import { judgeReceiver, receiverRequirements, senderTo } from '../roles/receiver.js';
import { type Instead, openSmallService, type SmallService } from './small-service.js';

let service: SmallService;
let all: readonly Requirement[];
beforeAll(async () => {
  service = await openSmallService();
  all = await allRequirements();
});
afterAll(() => service.close());
afterEach(() => {
  service.before = () => undefined;
  service.headers = {};
  service.features = {};
  service.forgetful = false;
});
const judgeIds = async (ids: readonly string[], more: Partial<Options> = {}): Promise<Report> => {
  const requirements = all.filter(({ id }) => ids.includes(id));
  return await run({ target: service.target, adapter: service.adapter, requirements, seed: 1, ...more });
};
const outcomesOf = ({ results }: Report) => Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]));
const worldOf = async (more: Partial<Adapter> = {}) =>
  new World(service.target, await readContract(service.target), 1, false, {
    adapter: async (...parameters) => ({ ...(await service.adapter(...parameters)), ...more }),
  });
const direct = (): Target => ({ service: { ...service.target.service, direct: true } });
const requirementOf = (check: Requirement['check'], limit?: number): Requirement => ({
  id: 'CLK-999',
  suite: 'time',
  level: 'must',
  says: 'x',
  check,
  ...(limit === undefined ? {} : { limit }),
});

describe('an outcome', () => {
  it('an outcome is failed for a breach, which alone decides the exit code', async () => {
    service.forgetful = true;
    const report = await judgeIds(['CLK-002', 'CLK-013']);
    expect(outcomesOf(report)).toEqual({ 'CLK-002': 'failed', 'CLK-013': 'passed' });
    expect(exitCode(report, 'must')).toBe(1);
  });

  it('an outcome is inconclusive for a missing answer, and no breach', async () => {
    service.before = (path) => (path.endsWith('/clock/in') ? new Promise(() => undefined) : undefined);
    const world = await worldOf();
    const { check } = all.find(({ id }) => id === 'CLK-002')!;
    const result = await judge(requirementOf(check, 0.3), world);
    expect([result.outcome, result.message]).toEqual(['inconclusive', 'no outcome within 0 s']);
    expect([...world.notJudged]).toEqual(['CLK-999']);
  });

  it.each([{ status: 504 }, { status: 400, headers: { 'content-type': 'text/html; charset=utf-8' } }])(
    'an outcome is inconclusive for $status from a proxy, and failed where there is none',
    async (page) => {
      service.before = (path) => (path.endsWith('/clock/in') ? page : undefined);
      const report = await judgeIds(['CLK-002']);
      expect(outcomesOf(report)).toEqual({ 'CLK-002': 'inconclusive' });
      expect(report.results[0]!.message).toContain(`${page.status} without a code`);
      expect(outcomesOf(await judgeIds(['CLK-002'], { target: direct() }))).toEqual({ 'CLK-002': 'failed' });
    },
  );

  it('an outcome is passed where a proxy adds headers, and failed where there is none', async () => {
    service.headers = { 'cf-ray': '8c1', 'x-cache': 'MISS' };
    expect(outcomesOf(await judgeIds(['CLK-002', 'CON-005']))).toMatchObject({ 'CON-005': 'passed' });
    const report = await judgeIds(['CLK-002', 'CON-005'], { target: direct() });
    expect(outcomesOf(report)).toMatchObject({ 'CON-005': 'failed' });
  });

  it('an outcome is passed after a moment of unavailability, and inconclusive if that persists', async () => {
    const text = JSON.stringify({ code: 'unavailable' });
    const gatewayAnswer = { status: 503, headers: { 'retry-after': new Date().toUTCString() }, text };
    let times = 1;
    service.before = (path) => (path.endsWith('/clock/in') && times-- > 0 ? gatewayAnswer : undefined);
    expect(outcomesOf(await judgeIds(['CLK-002']))).toEqual({ 'CLK-002': 'passed' });
    times = 100;
    expect(outcomesOf(await judgeIds(['CLK-002']))).toEqual({ 'CLK-002': 'inconclusive' });
  });

  it('an outcome does not repeat the failure of a fixture for another requirement', async () => {
    let times = 1;
    const world = await worldOf({
      createCompany: async () => {
        if (times-- > 0) throw new Error('no answer');
        return { id: 1, departments: [] };
      },
    });
    await expect(world.company()).rejects.toThrow('no answer');
    expect((await world.company()).id).toBe(1);
  });

  it('the people of an unfinished check are given to no other check', async () => {
    const world = await worldOf();
    let person: Person | undefined;
    const endlessRequirement = requirementOf(async () => {
      person = await world.person();
      await new Promise(() => undefined);
    }, 0.3);
    await judge(endlessRequirement, world);
    await world.release();
    expect((await world.person()).id).not.toBe(person?.id);
    await world.release();
    const firstPerson = await world.person();
    await world.release();
    expect(await world.person()).toBe(firstPerson);
  });

  it('a requirement gets a new key after another one switched writes off and on', async () => {
    const world = await worldOf({ changeFeatures: async () => undefined });
    const { key } = await world.extension();
    expect((await world.extension()).key).toBe(key);
    await world.fixtures.changeFeatures({ extensions_write: false, personal_links: true, terminals: true });
    await world.fixtures.changeFeatures({ extensions_write: true, personal_links: true, terminals: true });
    expect((await world.extension()).key).not.toBe(key);
  });

  it('an outcome is inconclusive when the connection is lost', async () => {
    const closedService = await openSmallService();
    const world = new World(closedService.target, await readContract(closedService.target), 1, false, {
      adapter: closedService.adapter,
    });
    const { api } = await world.extension();
    await closedService.close();
    const result = await judge(
      requirementOf(async () => void (await api.get('/api/v1/clock/states?user_id=1'))),
      world,
    );
    expect([result.outcome, result.message]).toEqual(['inconclusive', expect.stringContaining('ECONNREFUSED')]);
  });

  it.each([
    ['failed', 'quickly', 20],
    ['inconclusive', 'slowly', 4_000],
  ] as const)('an outcome is %s for a missing delivery while the service answers %s', async (outcome, _, duration) => {
    const world = await worldOf();
    const result = await judge(
      requirementOf(async ({ pace }) => {
        for (let times = 0; times < 9; times++) pace.record(duration);
        throw new NotArrived('no such delivery');
      }),
      world,
    );
    expect(result.outcome).toBe(outcome);
    expect(result.message).toContain('no such delivery');
  });

  it('the time limit of a requirement grows with the latency to the service', async () => {
    const { pace } = await worldOf();
    expect(pace.factor).toBe(1);
    for (let times = 0; times < 50; times++) pace.record(200);
    expect(pace.factor).toBe(4);
    for (let times = 0; times < 50; times++) pace.record(60_000);
    expect(pace.factor).toBe(10);
  });

  it('an outcome is not failed for statuses that only requirements without a verdict provoke', async () => {
    const report = await judgeIds(['CLK-002', 'CON-001', 'CON-016', 'CON-023']);
    expect(outcomesOf(report)).toMatchObject({ 'CON-001': 'skipped', 'CON-016': 'skipped' });
    const world = await worldOf();
    const judgement = await judge(all.find(({ id }) => id === 'CON-016')!, world);
    expect([judgement.outcome, judgement.message]).toEqual(['failed', expect.stringContaining('clockIn 200')]);
  });

  it('an outcome is not failed for statuses that need --intrusive if it was not given', () => {
    expect(reasonFor('pairTerminal 403', false)).toMatch(/^needs --intrusive/);
    expect(reasonFor('pairTerminal 403', true)).toBeUndefined();
  });

  it('every requirement of extensions is skipped where they are switched off', async () => {
    service.features = { extensions: false };
    const laws = all.filter(({ suite }) => suite === 'laws').map(({ id }) => id);
    const report = await judgeIds([
      'CLK-002',
      'ABS-001',
      'OAU-006',
      'WHK-001',
      'SOC-001',
      'CON-008',
      'SEC-038',
      ...laws,
    ]);
    expect(new Set(report.results.map(({ outcome }) => outcome))).toEqual(new Set(['skipped']));
    expect(report.results.find(({ id }) => id === 'CLK-002')?.message).toBe(
      'extensions are switched off here (EXTENSIONS_ENABLED=false)',
    );
  });

  it('an outcome is failed for two Host lines only if no proxy can have joined them', async () => {
    expect(outcomesOf(await judgeIds(['SEC-019']))).toEqual({ 'SEC-019': 'inconclusive' });
    expect(outcomesOf(await judgeIds(['SEC-019'], { target: direct() }))).toEqual({ 'SEC-019': 'failed' });
  });
});

describe('a comparison', () => {
  it('a comparison ignores the order of members, but not of rows', () => {
    equal({ a: 1, b: { c: [1, 2], d: 2 } }, { b: { d: 2, c: [1, 2] }, a: 1 }, 'a record');
    expect(() => equal([{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }], 'a list')).toThrow('a list');
    expect(() => equal({ a: 1 }, { a: 1, b: 2 }, 'a record')).toThrow('a record');
  });
});

describe('a receiver of webhooks', () => {
  const judgedReceiver = async (answers: readonly Instead[], id: string) => {
    let requestCount = 0;
    const server = createServer((request, response) => {
      const { status, headers } = answers[Math.min(requestCount++, answers.length - 1)]!;
      request.resume().on('end', () => response.writeHead(status, headers).end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const send = senderTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, 'whsec_c2VjcmV0');
    const [result] = await judgeReceiver(
      send,
      undefined,
      receiverRequirements.filter((requirement) => requirement.id === id),
    );
    server.closeAllConnections();
    server.close();
    return result!.outcome;
  };

  it("a receiver of webhooks is asked again after 429, and not judged by a gateway's answer", async () => {
    const [busyAnswer, noContent, badGateway] = [
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 204 },
      { status: 502 },
    ];
    expect(await judgedReceiver([busyAnswer, noContent], 'RCV-001')).toBe('passed');
    expect(await judgedReceiver([badGateway], 'RCV-001')).toBe('inconclusive');
    expect(await judgedReceiver([badGateway], 'RCV-002')).toBe('inconclusive');
    expect(await judgedReceiver([{ status: 401 }], 'RCV-001')).toBe('failed');
  });

  it('no receiver of webhooks is judged where there is none', async () => {
    const send = senderTo('http://127.0.0.1:9/hook', 'whsec_c2VjcmV0');
    const results = await judgeReceiver(send);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['inconclusive']));
  });
});

describe('the wait for a delivery', () => {
  it.each([
    [15, 'nothing else arrives', 11],
    [30, 'others still arrive', 1],
  ] as const)('the wait for a delivery ends after %d s while %s', async (ends, _, ago) => {
    const receiver = await openReceiver();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const outcome = receiver.waitForDelivery(() => false, 15).catch((error: unknown) => error);
      let hasEnded = false;
      void outcome.then(() => {
        hasEnded = true;
      });
      const at = Date.now() + (15 - ago) * 1_000;
      receiver.deliveries.push({ at, method: 'POST', path: '/', headers: {}, body: Buffer.of() });
      await jest.advanceTimersByTimeAsync(ends * 1_000 - 1);
      expect(hasEnded).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(await outcome).toBeInstanceOf(NotArrived);
    } finally {
      jest.useRealTimers();
      await receiver.close();
    }
  });
});

describe('the date of a company', () => {
  it('the date of a company is that of its time zone', async () => {
    const at = Date.parse('2026-11-26T23:30:00Z');
    expect(today('Europe/Berlin', at)).toBe('2026-11-27');
    expect(today('America/New_York', at)).toBe('2026-11-26');
    expect(today('Pacific/Auckland', Date.parse('2026-12-31T11:30:00Z'))).toBe('2027-01-01');
  });

  it('the adapter gets the date of the company, never that of UTC', async () => {
    const utc = new Date();
    // In one of the two it is another day now.
    const timeZone = utc.getUTCHours() < 11 ? 'Etc/GMT+12' : 'Etc/GMT-14';
    const days: string[] = [];
    const contract = await readContract(service.target);
    const world = new World(service.target, contract, 1, false, {
      timeZone,
      adapter: async (...parameters) => ({
        ...(await service.adapter(...parameters)),
        erasePerson: async (_, day) => void days.push(day),
      }),
    });
    await world.newPerson();
    await world.close();
    const localDate = today(timeZone);
    expect(localDate).not.toBe(utc.toISOString().slice(0, 10));
    expect(days).toEqual([localDate]);
    expect((await world.company()).today()).toBe(localDate);
  });
});

describe('a failed clean-up', () => {
  const closeWith = async (outcomes: (Error | undefined)[]) => {
    const removedIds: number[] = [];
    const world = await worldOf({
      setCompanyActive: async () => undefined,
      erasePerson: async (id) => {
        removedIds.push(id);
        const failure = outcomes.shift();
        if (failure !== undefined) throw failure;
      },
    });
    const { id } = await world.newPerson();
    return { id, notRemoved: await world.close(), tries: removedIds.filter((candidate) => candidate === id).length };
  };
  const connectionFault = () => Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });

  it('a failed clean-up is retried once, and every report names one that failed again', async () => {
    expect(await closeWith([connectionFault()])).toMatchObject({ notRemoved: [], tries: 2 });
    expect(await closeWith([connectionFault(), new Refused('not_found', 'no such person')])).toMatchObject({
      notRemoved: [],
      tries: 2,
    });
    const { id, notRemoved, tries } = await closeWith([connectionFault(), connectionFault(), connectionFault()]);
    expect({ notRemoved, tries }).toEqual({
      notRemoved: [`person ${id}: the adapter failed to erase a person: other side closed`],
      tries: 2,
    });
    const report = { ...(await judgeIds(['CLK-013'])), notRemoved };
    for (const text of [html(report), junit(report)]) expect(text).toContain(notRemoved[0]);
  });

  it('a failed clean-up is retried on a new connection', async () => {
    const ports: (number | undefined)[] = [];
    const pages = createServer((request, response) => {
      ports.push(request.socket.remotePort);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const connections = new Connections(undefined);
    const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const client = new Client(url, undefined, undefined, { connections });
    await client.get('/');
    connections.renew();
    await client.get('/');
    expect(ports).toHaveLength(2);
    expect(ports[1]).not.toBe(ports[0]);
    await connections.agent.close();
    pages.closeAllConnections();
    pages.close();
  });
});

describe("Clockproof's adapter", () => {
  it("Clockproof's adapter proves the second factor again whenever the service asks for it", async () => {
    const requests: string[] = [];
    let isFresh = true;
    const pages = createServer((request, response) => {
      const { url: path = '' } = request;
      requests.push(path);
      const isStale = path === '/app/admin/companies' && !isFresh;
      if (path.includes('second-factor')) isFresh = true;
      response.writeHead(isStale ? 403 : path.includes('factor') || path.includes('sign-in') ? 200 : 201, {
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(isStale ? { code: 'second_factor_required' } : { id: 1, next: 'second_factor' }));
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const super_admin = { email: 'a@b.example', password: 'x', totp_secret: 'A'.repeat(16) };
    const connect = () => new Client(url, undefined, undefined);
    const adapter = await clockproof({ service: { url }, super_admin }, { connect, Refused });
    const company = { name: 'x', time_zone: 'Europe/Berlin', country: 'DE', region: 'DE-HH', departments: [] };
    await adapter.createCompany(company);
    isFresh = false;
    expect(await adapter.createCompany(company)).toEqual({ id: 1, departments: [] });
    pages.closeAllConnections();
    pages.close();
    const company1 = '/app/admin/companies';
    expect(requests).toEqual([
      ...['/app/sign-in', '/app/sign-in/second-factor', company1],
      ...[company1, '/app/second-factor/proof', company1],
    ]);
  });
});

describe('a report', () => {
  it('a report says who judged what, and that inconclusive requirements are not certified', async () => {
    const report = await judgeIds(['CLK-013', 'SEC-019']);
    const { url } = service.target.service;
    const servedDocument = Buffer.from(await (await fetch(`${url}/api/v1/openapi.json`)).arrayBuffer());
    const sha256 = createHash('sha256').update(servedDocument).digest('hex');
    expect(report).toMatchObject({ adapter: 'small', kit: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect(report.documents).toEqual([{ address: `${url}/api/v1/openapi.json`, sha256 }]);
    expect(exitCode(report, 'should')).toBe(0);
    const [page, xml] = [html(report), junit(report)];
    const head = page.slice(0, page.indexOf('<h2'));
    expect(head).toContain('1 inconclusive: the kit could not tell, and this run certifies nothing for them.');
    for (const text of [page, xml]) for (const part of [sha256, report.kit, 'small']) expect(text).toContain(part);
    expect(xml).toContain('<skipped message="inconclusive: two Host lines');
    expect(xml).toContain('failures="0" skipped="1"');
    expect(xml).not.toContain('<failure');
  });
});

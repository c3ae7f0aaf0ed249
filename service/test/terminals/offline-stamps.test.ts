/** Stamps that a terminal recorded without a connection: taken once, never proved, counted after approval only. */
import { createCipheriv, createHmac, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour, type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { blockBadge } from '../../src/terminals/badges/badges.js';
import { confirmTerminal } from '../../src/terminals/pairing.js';
import { addSuperAdmin, type Browser, signIn } from '../browser.js';
import { hire } from '../builders.js';
import { type Door, deviceKey, doorOf, type HeldCard, issueBadge, newCode, openDoor, pair, system } from '../door.js';
import { createWorld, minute, second, type World } from '../world.js';

const path = '/api/v1/terminal/offline';
const status = '/api/v1/terminal/status';

interface Sent {
  readonly number: number;
  readonly [member: string]: unknown;
}

describe.each(dialects)('offline stamps on %s', (dialect) => {
  let world: World;
  let door: Door;
  let root: number;
  let admin: Browser;
  let count = 0;
  let ida: number;
  let card: HeldCard;
  beforeAll(async () => {
    world = await createWorld(dialect);
    root = await addSuperAdmin(world);
  });
  afterAll(async () => {
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    await world.close();
  });
  beforeEach(async () => {
    // A morning each: no test sees the stamps of another.
    world.set(parseInstant('2026-11-24T10:00:00Z')! + ++count * day);
    admin = await signIn(world, root);
    door = await openDoor(world, `offline ${count}`);
    ida = await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      hire(write, {
        companyId: world.nord,
        firstName: `Ida${count}`,
        lastName: 'Ist',
        email: `ida${count}@clockproof.example`,
        employmentStart: '2020-01-01',
      }),
    );
    card = await issueBadge(world, door, ida, `04d0d1d2d3d4${String(count).padStart(2, '0')}`);
  });

  /** So long ago. */
  const ago = (milliseconds: number): Instant => world.now() - milliseconds;
  const plain = (number: number, action: string, at: Instant, uid = card.uidHex): Sent => ({
    number,
    uid,
    action,
    at: formatInstant(at),
  });
  const upload = async (stamps: readonly Sent[], where = door) => {
    const answer = await where.send('POST', path, { stamps });
    return {
      status: answer.status,
      results: ((answer.body['results'] as { result: string }[] | undefined) ?? []).map(({ result }) => result),
      last: answer.body['last_number'],
      code: answer.body['code'],
    };
  };
  const entries = () =>
    world.db.all<{ status: string; start_at: number; end_at: number | null; proof: string }>(
      'SELECT status, start_at, end_at, proof FROM time_entries WHERE person_id = :ida ORDER BY id',
      { ida },
    );
  const audited = async (action: string) =>
    (
      await world.db.all<{ details: string }>(
        'SELECT details FROM audit_entries WHERE action = :action ORDER BY sequence',
        { action },
      )
    ).map(({ details }) => JSON.parse(details) as Record<string, unknown>);
  const waiting = async () =>
    (await admin.call('GET', `/app/approvals?kind=offline_stamp&user_id=${ida}`)).body['data'] as {
      id: string;
      entry: Record<string, unknown>;
      conflicts: { code: string }[];
    }[];
  const approve = (id: string) => admin.call('POST', `/app/approvals/${id}/approve`);
  const clockState = async () =>
    (
      (await world.call('GET', `/api/v1/clock/states?user_id=${ida}`, { key: world.reader.key })).body[
        'data'
      ] as object[]
    )[0];
  const stampNow = async (action: string) => {
    const { session } = (await door.hold(card)).body;
    return (await door.send('POST', '/api/v1/terminal/stamp', { session, action })).body;
  };

  /** As docs/protocols/terminal.md describes it, written from RFC 9180. */
  const seal = (sealKey: string, terminalId: string, number: number, text: string): Sent => {
    const version = Buffer.from('HPKE-v1');
    const mac = (key: Uint8Array, ...parts: Uint8Array[]) =>
      createHmac('sha256', key).update(Buffer.concat(parts)).digest();
    const suites = { kem: Buffer.from('4b454d0020', 'hex'), all: Buffer.from('48504b45002000010001', 'hex') };
    const extract = (salt: Uint8Array, label: string, input: Uint8Array, suite: Uint8Array) =>
      mac(salt, version, suite, Buffer.from(label), input);
    const expand = (key: Uint8Array, label: string, context: Uint8Array, length: number, suite: Uint8Array) =>
      mac(key, Buffer.of(0, length), version, suite, Buffer.from(label), context, Buffer.of(1)).subarray(0, length);
    const recipient = Buffer.from(sealKey, 'base64');
    const ephemeral = createPrivateKey({
      key: Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), world.randomBytes(32)]),
      format: 'der',
      type: 'pkcs8',
    });
    const enc = createPublicKey(ephemeral).export({ format: 'der', type: 'spki' }).subarray(-32);
    const publicKey = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), recipient]),
      format: 'der',
      type: 'spki',
    });
    const dh = diffieHellman({ privateKey: ephemeral, publicKey });
    const none = Buffer.alloc(0);
    const shared = expand(
      extract(none, 'eae_prk', dh, suites.kem),
      'shared_secret',
      Buffer.concat([enc, recipient]),
      32,
      suites.kem,
    );
    const context = Buffer.concat([
      Buffer.of(0),
      extract(none, 'psk_id_hash', none, suites.all),
      extract(none, 'info_hash', Buffer.from('service-terminal-offline-v1'), suites.all),
    ]);
    const secret = extract(shared, 'secret', none, suites.all);
    const cipher = createCipheriv(
      'aes-128-gcm',
      expand(secret, 'key', context, 16, suites.all),
      expand(secret, 'base_nonce', context, 12, suites.all),
    ).setAAD(Buffer.from(`${terminalId}\n${number}`));
    const sealed = Buffer.concat([enc, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return { number, sealed: sealed.toString('base64') };
  };
  const sealedStamp = async (number: number, action: string, at: Instant, where = door, sealedFor = number) => {
    const { seal_key: key } = (await where.send('GET', status)).body;
    const text = JSON.stringify({ uid: card.uidHex, action, at: formatInstant(at) });
    return { ...seal(key as string, where.terminalId, sealedFor, text), number };
  };

  it('become an entry that waits, is not proven, and counts once it is approved', async () => {
    expect((await door.send('GET', status)).body).toMatchObject({ offers: { offline: true }, offline_last_number: 0 });
    const [start, end] = [ago(3 * hour), ago(hour)];
    const day1 = [
      await sealedStamp(1, 'in', start),
      plain(2, 'break_start', ago(2 * hour)),
      plain(3, 'break_end', ago(2 * hour - 20 * minute)),
      await sealedStamp(4, 'out', end),
    ];
    expect(await upload(day1)).toMatchObject({ results: Array(4).fill('accepted'), last: 4 });
    expect((await door.send('GET', status)).body).toMatchObject({ offline_last_number: 4 });
    expect(await clockState()).toMatchObject({ state: 'out' });
    const [asked, ...more] = await waiting();
    expect(more).toEqual([]);
    const source = { kind: 'offline', id: door.terminalId, name: 'Gate' };
    expect(asked).toMatchObject({
      conflicts: [],
      entry: { status: 'pending', proof: 'none', source, start: formatInstant(start), end: formatInstant(end) },
    });
    expect(asked!.entry['stamps']).toMatchObject(
      ['in', 'break_start', 'break_end', 'out'].map((action) => ({ action, source, proof: 'none' })),
    );
    expect((await approve(asked!.id)).body).toMatchObject({
      status: 'approved',
      entry: { status: 'approved', worked_minutes: 100, break_minutes: 20 },
    });
    expect(await clockState()).toMatchObject({ state: 'out' });
    expect((await audited('offline_stamp.recorded')).slice(-4).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it('rejected never count', async () => {
    await upload([plain(1, 'in', ago(2 * hour))]);
    const [asked] = await waiting();
    expect(
      (await admin.call('POST', `/app/approvals/${asked!.id}/reject`, { body: { comment: 'Not here.' } })).body,
    ).toMatchObject({ status: 'rejected', entry: { status: 'rejected' } });
    expect(await clockState()).toMatchObject({ state: 'out' });
    expect((await approve(asked!.id)).body).toMatchObject({ code: 'already_decided' });
  });

  it('without an end clock the person in once they are approved, and go on from there', async () => {
    const [start, pause] = [ago(3 * hour), ago(2 * hour)];
    await upload([plain(1, 'in', start), plain(2, 'break_start', pause)]);
    expect(await clockState()).toMatchObject({ state: 'out' });
    const [asked] = await waiting();
    expect((await approve(asked!.id)).status).toBe(200);
    expect(await clockState()).toMatchObject({
      state: 'on_break',
      since: formatInstant(start),
      break_since: formatInstant(pause),
      source: { kind: 'offline' },
    });
    expect(await stampNow('break_end')).toMatchObject({ state: 'in', since: formatInstant(start) });
    // Not while the person is clocked in since.
    await upload([plain(3, 'in', ago(minute))]);
    const [second1] = await waiting();
    expect(second1!.conflicts).toMatchObject([{ code: 'entry_overlap' }]);
    expect((await approve(second1!.id)).body).toMatchObject({ code: 'entry_overlap' });
  });

  it('that end what was begun online take the place of the open entry, if nobody stamped since', async () => {
    world.advance(-2 * hour);
    await stampNow('in');
    world.advance(2 * hour);
    const start = ago(2 * hour);
    await upload([
      plain(1, 'break_start', ago(hour)),
      plain(2, 'break_end', ago(50 * minute)),
      plain(3, 'out', ago(minute)),
    ]);
    expect(await clockState()).toMatchObject({ state: 'in' });
    const [asked] = await waiting();
    expect(asked).toMatchObject({ conflicts: [], entry: { start: formatInstant(start), proof: 'none' } });
    expect(asked!.entry['stamps']).toMatchObject([
      { action: 'in', proof: 'badge' },
      {},
      {},
      { action: 'out', proof: 'none' },
    ]);
    expect((await approve(asked!.id)).body).toMatchObject({ entry: { status: 'approved', worked_minutes: 109 } });
    expect(await clockState()).toMatchObject({ state: 'out' });
    expect((await entries()).map(({ status: state }) => state)).toEqual(['rejected', 'approved']);
    // The next day of the same kind, but the person clocked out online meanwhile.
    await stampNow('in');
    world.advance(2 * hour);
    await upload([plain(4, 'out', ago(minute))]);
    await stampNow('out');
    admin = await signIn(world, root);
    const [late] = await waiting();
    expect(late!.conflicts).toMatchObject([{ code: 'entry_overlap' }]);
    expect((await approve(late!.id)).body).toMatchObject({ code: 'entry_overlap' });
  });

  it('that continue nothing are shown as they are and add no minute', async () => {
    await upload([plain(1, 'out', ago(hour)), plain(2, 'break_end', ago(hour - minute))]);
    const asked = await waiting();
    expect(asked.map(({ entry }) => entry['stamps'])).toMatchObject([[{ action: 'out' }], [{ action: 'break_end' }]]);
    for (const { id } of asked) expect((await approve(id)).body).toMatchObject({ entry: { worked_minutes: 0 } });
    expect(await clockState()).toMatchObject({ state: 'out' });
  });

  it('are taken once: again, sealed again, in parallel, at a replica, and after pairing again', async () => {
    const at = ago(hour);
    const batch = [plain(1, 'in', at), plain(2, 'out', at + 10 * minute)];
    const replica = await world.replica();
    const parallel = await Promise.all(
      [world.url, replica.url, world.url].map((url) => door.send('POST', path, { stamps: batch }, { url })),
    );
    expect(parallel.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(
      parallel.flatMap(({ body }) => (body['results'] as { result: string }[]).map(({ result }) => result)).sort(),
    ).toEqual(['accepted', 'accepted', 'duplicate', 'duplicate', 'duplicate', 'duplicate']);
    // Other bytes, the same stamp; and under another number.
    expect((await upload([await sealedStamp(1, 'in', at)])).results).toEqual(['duplicate']);
    expect(await upload([plain(3, 'in', at)])).toMatchObject({ results: ['duplicate'], last: 3 });
    // A service clock that goes back by a day takes nothing twice.
    world.advance(-day);
    expect((await upload(batch)).results).toEqual(['duplicate', 'duplicate']);
    world.advance(day);
    const { body } = await pair(world, await newCode(world, door.terminalId), deviceKey(`again ${count}`).publicKey);
    await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      confirmTerminal(write, door.terminalId, world.nord, body['fingerprint'] as string),
    );
    const again = doorOf(world, door.terminalId, `again ${count}`);
    expect((await again.send('GET', status)).body).toMatchObject({ offline_last_number: 0 });
    expect((await upload(batch, again)).results).toEqual(['duplicate', 'duplicate']);
    expect(await entries()).toHaveLength(1);
  });

  it('with a known number and other content are a conflict, audited, and change nothing', async () => {
    await upload([plain(1, 'in', ago(hour))]);
    expect(await upload([plain(1, 'in', ago(hour) + second)])).toMatchObject({ results: ['conflict'], last: 1 });
    expect((await audited('offline_stamp.conflict')).at(-1)).toEqual({ number: 1 });
    expect(await entries()).toHaveLength(1);
  });

  it('leave an entry in the audit log where numbers are missing', async () => {
    const before = (await audited('offline_stamp.missing')).length;
    await upload([
      plain(3, 'in', ago(hour)),
      plain(4, 'break_start', ago(hour) + minute),
      plain(7, 'out', ago(minute)),
    ]);
    expect((await audited('offline_stamp.missing')).slice(before)).toEqual([
      { from: 1, to: 2 },
      { from: 5, to: 6 },
    ]);
    // One that was missing may still come.
    expect(await upload([plain(5, 'break_end', ago(hour) + 2 * minute)])).toMatchObject({ last: 7 });
    await upload([plain(8, 'in', ago(second))]);
    expect(await audited('offline_stamp.missing')).toHaveLength(before + 2);
  });

  it('are refused too old, in the future, of no active badge, unreadable or where the department may not', async () => {
    const sent = [
      plain(1, 'in', ago(72 * hour)),
      plain(2, 'in', ago(72 * hour + second)),
      plain(3, 'in', ago(-minute)),
      plain(4, 'in', ago(-minute - second)),
      plain(5, 'in', ago(hour), '04ffffffffffff'),
      await sealedStamp(6, 'in', ago(hour), door, 5),
      { number: 7, sealed: Buffer.alloc(80, 7).toString('base64') },
    ];
    const results = ['accepted', 'too_old', 'accepted', 'in_future', ...Array<string>(3).fill('unknown_card')];
    expect(await upload(sent)).toMatchObject({ results, last: 7 });
    // Whatever was not recorded gets the same answer again, also when time has passed.
    world.advance(hour);
    expect((await upload(sent)).results).toEqual(
      results.map((result) => (result === 'accepted' ? 'duplicate' : result)),
    );
    const gate = await openDoor(world, `office ${count}`, { departments: [world.office] });
    expect((await upload([plain(1, 'in', ago(hour))], gate)).results).toEqual(['unknown_card']);
    const badge = (await world.db.get<{ id: string }>('SELECT id FROM badges WHERE person_id = :ida', { ida }))!;
    await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      blockBadge(write, badge.id, world.nord),
    );
    expect((await upload([plain(8, 'in', ago(hour))])).results).toEqual(['unknown_card']);
    expect((await audited('offline_stamp.refused')).map(({ reason }) => reason).slice(-7)).toEqual([
      'too_old',
      'in_future',
      'unknown_card',
      'unreadable',
      'unreadable',
      'department_not_allowed',
      'blocked_badge',
    ]);
    expect(JSON.stringify(await world.db.all('SELECT * FROM offline_stamps'))).not.toContain(card.uidHex);
  });

  it('need a confirmed terminal, one form each, and at most a hundred at once', async () => {
    const stamp = plain(1, 'in', ago(hour));
    for (const stamps of [
      [],
      [{ number: 1 }],
      [{ number: 1, uid: card.uidHex, action: 'in' }],
      [{ ...stamp, sealed: Buffer.alloc(80).toString('base64') }],
      [{ ...stamp, number: 0 }],
      [{ ...stamp, at: 'yesterday' }],
      Array.from({ length: 101 }, (_, index) => ({ ...stamp, number: index + 1 })),
    ])
      expect([stamps.length, (await door.send('POST', path, { stamps })).body['code']]).toEqual([
        stamps.length,
        'invalid_request',
      ]);
    const many = Array.from({ length: 100 }, (_, index) =>
      plain(index + 1, index % 2 === 0 ? 'in' : 'out', ago(10 * hour) + index * minute),
    );
    expect(await upload(many)).toMatchObject({ results: Array(100).fill('accepted'), last: 100 });
    expect(await entries()).toHaveLength(50);
    await newCode(world, door.terminalId);
    await pair(world, await newCode(world, door.terminalId), deviceKey(`new ${count}`).publicKey);
    const unconfirmed = doorOf(world, door.terminalId, `new ${count}`);
    expect(await upload([stamp], unconfirmed)).toMatchObject({ status: 403, code: 'terminal_not_confirmed' });
    const offers = (await unconfirmed.send('GET', status)).body;
    expect(offers).toMatchObject({ offers: { offline: false } });
    expect(offers).not.toHaveProperty('seal_key');
  });

  it('decided by two at once have one outcome', async () => {
    await upload([plain(1, 'in', ago(hour)), plain(2, 'out', ago(minute))]);
    const [asked] = await waiting();
    const answers = await Promise.all([
      approve(asked!.id),
      admin.call('POST', `/app/approvals/${asked!.id}/reject`, { body: { comment: 'No.' } }),
    ]);
    expect(answers.map(({ status: code }) => code).sort()).toEqual([200, 409]);
    expect(await entries()).toHaveLength(1);
  });
});

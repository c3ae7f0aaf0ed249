/** Stamps that a terminal recorded without a connection: taken once, never proved, counted after approval only. */
import { createCipheriv, createHmac, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { dialects } from '@clockproof/platform/testing/databases';
import { day, formatInstant, hour, type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { announcePerson } from '../../src/people/announce-person.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { insert, update } from '../../src/store/tables.js';
import { markBadgeBlocked, returnBadge, unblockBadge } from '../../src/terminals/badges/badges.js';
import { startIssuing } from '../../src/terminals/issuing.js';
import { confirmTerminal } from '../../src/terminals/pairing.js';
import { addSuperAdmin, type Browser } from '../browser.js';
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
    // A morning each: no test sees the stamps of another. The badge has been in use for some days.
    const morning = parseInstant('2026-12-24T10:00:00Z')! + ++count * 10 * day;
    world.set(morning - 5 * day);
    door = await openDoor(world, `offline ${count}`);
    ida = await world.hire({
      firstName: `Ida${count}`,
      lastName: 'Ist',
      email: `ida${count}@clockproof.example`,
      employmentStart: '2020-01-01',
    });
    card = await issueBadge(world, door, ida, `04d0d1d2d3d4${String(count).padStart(2, '0')}`);
    world.set(morning);
    admin = await world.as(root);
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
  interface Unresolved {
    readonly id: string;
    readonly status: string;
    readonly reason: string;
    readonly [member: string]: unknown;
  }
  /** Stamps of this test's terminals that await a decision, or that are decided. */
  const unresolved = async (state = 'waiting', where = door) => {
    const stamps: Unresolved[] = [];
    for (let cursor = ''; ; ) {
      const query = `company_id=${world.nord}&state=${state}&limit=500${cursor}`;
      const { body } = await admin.call('GET', `/app/unresolved-stamps?${query}`);
      stamps.push(...(body['data'] as Unresolved[]));
      if (body['next_cursor'] === null) break;
      cursor = `&cursor=${body['next_cursor']}`;
    }
    return stamps.filter(({ terminal }) => (terminal as { id: string }).id === where.terminalId);
  };
  const takeStamp = (id: string, body?: object) => admin.call('POST', `/app/unresolved-stamps/${id}/take`, { body });
  const rejectStamps = (...ids: string[]) =>
    admin.call('POST', '/app/unresolved-stamps/reject', { body: { ids, comment: 'Nobody was here.' } });
  const inService = <Result>(effect: Parameters<typeof world.service.store.write<Result>>[1]) =>
    world.service.store.write({ actor: system, at: world.now() }, effect);
  const badgeOf = async (person: number) =>
    (await world.db.get<{ id: string }>(
      'SELECT id FROM badges WHERE person_id = :person ORDER BY issued_at DESC LIMIT 1',
      { person },
    ))!.id;
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

  it('offline stamps become a pending, unproven entry, and count once it is approved', async () => {
    expect((await door.send('GET', status)).body).toMatchObject({ offers: { offline: true }, offline_last_number: 0 });
    const [start, end] = [ago(3 * hour), ago(hour)];
    const day1 = [
      plain(1, 'in', start),
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

  it('rejected offline stamps never count', async () => {
    await upload([plain(1, 'in', ago(2 * hour))]);
    const [asked] = await waiting();
    expect(
      (await admin.call('POST', `/app/approvals/${asked!.id}/reject`, { body: { comment: 'Not here.' } })).body,
    ).toMatchObject({ status: 'rejected', entry: { status: 'rejected' } });
    expect(await clockState()).toMatchObject({ state: 'out' });
    expect((await approve(asked!.id)).body).toMatchObject({ code: 'already_decided' });
  });

  it('approved offline stamps without an end clock the person in, and continue from there', async () => {
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

  it('offline stamps that end an online entry replace it, unless a later stamp exists', async () => {
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
    admin = await world.as(root);
    const [late] = await waiting();
    expect(late!.conflicts).toMatchObject([{ code: 'entry_overlap' }]);
    expect((await approve(late!.id)).body).toMatchObject({ code: 'entry_overlap' });
  });

  it('offline stamps without an entry to continue are shown unchanged and add no minute', async () => {
    await upload([plain(1, 'out', ago(hour)), plain(2, 'break_end', ago(hour - minute))]);
    const asked = await waiting();
    expect(asked.map(({ entry }) => entry['stamps'])).toMatchObject([[{ action: 'out' }], [{ action: 'break_end' }]]);
    for (const { id } of asked) expect((await approve(id)).body).toMatchObject({ entry: { worked_minutes: 0 } });
    expect(await clockState()).toMatchObject({ state: 'out' });
  });

  it('offline stamps count once: repeated, sealed again, parallel, at a replica and after new pairing', async () => {
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

  it('offline stamps with a known number and other content are one conflict, and can be accepted', async () => {
    await upload([plain(1, 'in', ago(hour))]);
    const other = plain(1, 'out', ago(hour) + second);
    expect(await upload([other])).toMatchObject({ results: ['conflict'], last: 1 });
    expect(await upload([other])).toMatchObject({ results: ['conflict'], last: 1 });
    // Under a free number the same stamp is known.
    expect(await upload([{ ...other, number: 2 }])).toMatchObject({ results: ['duplicate'], last: 2 });
    const [kept, ...more] = await unresolved();
    expect(more).toEqual([]);
    expect(kept).toMatchObject({ reason: 'conflict', number: 1, person: { id: ida }, action: 'out', at: other['at'] });
    expect((await audited('offline_stamp.unresolved')).at(-1)).toMatchObject({
      number: 1,
      reason: 'conflict',
      person: ida,
    });
    expect(await entries()).toHaveLength(1);
    expect((await takeStamp(kept!.id)).body).toMatchObject({ status: 'taken', taken_for: { id: ida } });
    expect((await waiting()).map(({ entry }) => entry['stamps'])).toMatchObject([
      [{ action: 'in' }, { action: 'out' }],
    ]);
  });

  it('missing numbers of offline stamps leave an entry in the audit log', async () => {
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

  it('offline stamps are kept with a reason where they form no entry', async () => {
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
    const ahead = (await unresolved()).find(({ reason }) => reason === 'in_future')!;
    expect((await takeStamp(ahead.id)).body).toMatchObject({ code: 'stamp_not_takeable' });
    // The same answer again, also when time has passed, and nothing is kept twice.
    world.advance(hour);
    expect((await upload(sent)).results).toEqual(
      results.map((result) => (result === 'accepted' ? 'duplicate' : result)),
    );
    admin = await world.as(root);
    const kept = await unresolved();
    expect(kept.map(({ number, reason }) => [number, reason])).toEqual([
      [2, 'too_old'],
      [4, 'in_future'],
      [5, 'unknown_card'],
      [6, 'unreadable'],
      [7, 'unreadable'],
    ]);
    expect(kept[3]).not.toHaveProperty('action');
    expect(JSON.stringify(await world.db.all('SELECT * FROM offline_stamps'))).not.toContain(card.uidHex);
    expect(JSON.stringify(await world.db.all('SELECT * FROM unresolved_stamps'))).not.toContain(card.uidHex);
    const gate = await openDoor(world, `office ${count}`, { departments: [world.office] });
    expect((await upload([plain(1, 'in', ago(hour / 2))], gate)).results).toEqual(['unknown_card']);
    expect(await unresolved('waiting', gate)).toMatchObject([
      { reason: 'department_not_allowed', person: { id: ida } },
    ]);
  });

  it('offline stamps follow the badge as it was when they were made', async () => {
    const [before, after] = [world.now() + hour, world.now() + 3 * hour];
    world.advance(2 * hour);
    await inService(async (write) => markBadgeBlocked(write, await badgeOf(ida), world.nord));
    world.advance(2 * hour);
    expect((await upload([plain(1, 'in', before), plain(2, 'out', after)])).results).toEqual([
      'accepted',
      'unknown_card',
    ]);
    admin = await world.as(root);
    expect(await unresolved()).toMatchObject([{ reason: 'blocked_badge', person: { id: ida }, number: 2 }]);
    // Found again: the badge was never blocked.
    await inService(async (write) => unblockBadge(write, await badgeOf(ida), world.nord));
    expect((await upload([plain(3, 'break_start', after + second)])).results).toEqual(['accepted']);
  });

  it('offline stamps belong to the holder of the card at that time, not to the next one', async () => {
    const first = world.now() + hour;
    world.advance(2 * hour);
    await inService(async (write) => returnBadge(write, await badgeOf(ida), world.nord));
    const between = world.now() + minute;
    world.advance(hour);
    const next = await world.hire({ firstName: `Next${count}`, employmentStart: '2020-01-01' });
    await inService((write) => startIssuing(write, door.terminalId, { id: next, company_id: world.nord }));
    expect((await door.hold(card)).body).toMatchObject({ result: 'issued' });
    world.advance(minute);
    const batch = [plain(1, 'in', first), plain(2, 'out', between), plain(3, 'in', ago(0))];
    expect((await upload(batch)).results).toEqual(['accepted', 'unknown_card', 'accepted']);
    expect(await entries()).toHaveLength(1);
    admin = await world.as(root);
    const [kept] = await unresolved();
    expect(kept).toMatchObject({ reason: 'not_issued', number: 2 });
    expect(kept).not.toHaveProperty('person');
  });

  it('offline stamps of a later leaver count', async () => {
    const at = world.now() + minute;
    world.advance(hour);
    await inService(async (write) => {
      await write.lock({ people: [ida] });
      await update(write, 'people', { id: ida }, { active: 0 });
      await announcePerson(write, { id: ida, companyId: world.nord, type: 'user.deactivated' });
      await write.audit({ companyId: world.nord, action: 'person.changed', details: { changed: ['active'] } });
    });
    expect((await upload([plain(1, 'in', at)])).results).toEqual(['accepted']);
    expect(await entries()).toMatchObject([{ status: 'pending' }]);
  });

  it('unresolved offline stamps are shown to the person and to deciders, who accept, assign or reject', async () => {
    const notices = async (of: Browser) =>
      ((await of.call('GET', '/app/notices')).body['data'] as { kind: string; read_at?: string }[]).filter(({ kind }) =>
        kind.startsWith('stamp_'),
      );
    const mine = async (of: Browser) =>
      (await of.call('GET', '/app/me/unresolved-stamps')).body['data'] as Unresolved[];
    const boss = await world.hire({
      ...{ firstName: 'Bo', lastName: `Boss${count}`, role: 'company_admin' },
      email: `bo${count}@clockproof.example`,
    });
    const office = await world.hire({
      ...{ firstName: 'Lea', role: 'approver', departmentId: world.office },
      email: `lea${count}@clockproof.example`,
    });
    world.advance(80 * hour);
    const idaBrowser = await world.as(ida);
    admin = await world.as(root);
    const start = ago(75 * hour);
    await upload([
      plain(1, 'in', start),
      plain(2, 'out', start + hour),
      plain(3, 'in', ago(hour), '04ffffffffff01'),
      plain(4, 'out', ago(minute), '04ffffffffff01'),
      { number: 5, sealed: Buffer.alloc(80, count).toString('base64') },
    ]);
    expect(await notices(idaBrowser)).toMatchObject([
      { kind: 'stamp_unresolved', day: formatInstant(start).slice(0, 10) },
    ]);
    const bossBrowser = await world.as(boss);
    expect((await notices(bossBrowser)).map(({ kind }) => kind)).toContain('stamp_undecided');
    expect((await mine(idaBrowser)).map(({ number, status: is }) => [number, is])).toEqual([
      [2, 'waiting'],
      [1, 'waiting'],
    ]);
    const [one, two, three, four, five] = (await unresolved()).map(({ id }) => id) as [
      string,
      string,
      string,
      string,
      string,
    ];
    // Her own, and those of others.
    expect((await idaBrowser.call('GET', '/app/unresolved-stamps')).status).toBe(403);
    expect((await takeStamp(one)).body).toMatchObject({ status: 'taken', reason: 'too_old', taken_for: { id: ida } });
    expect((await takeStamp(one)).body).toMatchObject({ code: 'already_decided' });
    expect((await notices(idaBrowser))[0]).toHaveProperty('read_at');
    const [asked] = await waiting();
    expect(asked!.entry).toMatchObject({ status: 'pending', start: formatInstant(start) });
    // A card that nobody has: somebody has to say whose stamp it is.
    expect((await takeStamp(three)).body).toMatchObject({ code: 'invalid_request', details: [{ field: 'user_id' }] });
    expect((await takeStamp(three, { user_id: world.people.zoe })).body).toMatchObject({ code: 'not_found' });
    expect(
      (await bossBrowser.call('POST', `/app/unresolved-stamps/${three}/take`, { body: { user_id: boss } })).body,
    ).toMatchObject({ code: 'own_request' });
    expect((await takeStamp(three, { user_id: ida })).body).toMatchObject({ status: 'taken', taken_for: { id: ida } });
    expect(await waiting()).toHaveLength(2);
    // An approver of a department decides about nobody else, and about no unknown card.
    const lea = await world.as(office);
    expect((await lea.call('GET', '/app/unresolved-stamps')).body['data']).toEqual([]);
    for (const id of [two, four]) {
      const answer = await lea.call('POST', `/app/unresolved-stamps/${id}/take`, { body: { user_id: ida } });
      expect(answer.body).toMatchObject({ code: 'not_found' });
    }
    // Given to somebody else, its person hears of it and does not learn whose it is.
    expect((await takeStamp(two, { user_id: world.people.ben })).body).toMatchObject({
      taken_for: { id: world.people.ben },
    });
    expect((await mine(idaBrowser)).find(({ id }) => id === two)).not.toHaveProperty('taken_for');
    expect((await takeStamp(five)).body['code']).toBe('invalid_request');
    expect((await takeStamp(five, { user_id: ida })).body).toMatchObject({ code: 'stamp_not_takeable' });
    expect((await rejectStamps(four, one)).body).toMatchObject({ code: 'already_decided' });
    expect((await unresolved()).map(({ id }) => id)).toEqual([four, five]);
    expect((await rejectStamps(four, five)).status).toBe(204);
    expect(await unresolved()).toEqual([]);
    expect((await unresolved('decided')).map(({ id, status: is }) => [id, is])).toEqual([
      [five, 'rejected'],
      [four, 'rejected'],
      [three, 'taken'],
      [two, 'taken'],
      [one, 'taken'],
    ]);
    expect((await audited('offline_stamp.taken')).slice(-3).map(({ stamp }) => `ust_${stamp}`)).toEqual([
      one,
      three,
      two,
    ]);
    // What was decided stays so when the device sends it again.
    expect((await upload([plain(1, 'in', start)])).results).toEqual(['too_old']);
    expect(await unresolved()).toEqual([]);
  });

  it('unresolved offline stamps are decided once, also by parallel deciders', async () => {
    const rounds = 8;
    await upload(
      Array.from({ length: rounds }, (_, index) =>
        plain(index + 1, 'in', ago(minute) + index * second, '04ffffffffff0a'),
      ),
    );
    for (const { id } of await unresolved()) {
      const answers = await Promise.all([
        takeStamp(id, { user_id: ida }),
        takeStamp(id, { user_id: world.people.ben }),
        rejectStamps(id),
      ]);
      expect(answers.filter(({ status: code }) => code < 300)).toHaveLength(1);
      expect(answers.filter(({ status: code }) => code === 409)).toHaveLength(2);
    }
  });

  it('unresolved offline stamps keep their month open', async () => {
    world.advance(80 * hour);
    const at = ago(75 * hour);
    await upload([plain(1, 'in', at)]);
    admin = await world.as(root);
    const month = formatInstant(at).slice(0, 7);
    const waitingInMonth = async () => {
      const path = `/app/admin/companies/${world.nord}/months?year=${month.slice(0, 4)}`;
      const { body } = await admin.call('GET', path);
      return (body['data'] as { month: string; waiting_requests: number }[]).find((one) => one.month === month)!
        .waiting_requests;
    };
    const before = await waitingInMonth();
    await rejectStamps((await unresolved())[0]!.id);
    expect(await waitingInMonth()).toBe(before - 1);
  });

  it('plain offline stamps are refused once the key has sealed one', async () => {
    const batch = [await sealedStamp(1, 'in', ago(0)), plain(2, 'out', ago(0) + second)];
    expect((await upload(batch)).results).toEqual(['accepted', 'not_sealed']);
    expect(await unresolved()).toMatchObject([{ reason: 'not_sealed', person: { id: ida } }]);
  });

  it('offline stamps of one person are accepted up to a limit', async () => {
    const many = (first: number) =>
      Array.from({ length: 100 }, (_, index) =>
        plain(first + index, (first + index) % 2 === 1 ? 'in' : 'out', ago(0) + (first + index) * 100),
      );
    world.advance(minute);
    const whole = (stamps: readonly Sent[]) =>
      stamps.map((stamp, index) => ({ ...stamp, at: formatInstant(ago(minute) + index * second) }));
    expect((await upload(whole(many(1)).slice(0, 100))).results).toEqual(Array(100).fill('accepted'));
    world.advance(10 * minute);
    expect((await upload([plain(101, 'in', ago(0)), plain(102, 'in', ago(0), '04ffffffffff02')])).results).toEqual([
      'too_many',
      'unknown_card',
    ]);
    world.advance(73 * hour);
    expect((await upload([plain(103, 'in', ago(0))])).results).toEqual(['accepted']);
  });

  it('offline stamps are sent back to the device when too many are unresolved', async () => {
    await inService(async (write) => {
      for (let number = 1; number <= 1_000; number += 1)
        await insert(write, 'unresolved_stamps', {
          ...{ company_id: world.nord, terminal_id: door.terminalId, terminal_name: 'Gate', key_fingerprint: 'x' },
          ...{ number, content_hash: `${door.terminalId} ${number}`, reason: 'unknown_card', received_at: write.at },
          status: 'waiting',
        });
      await write.audit({ companyId: world.nord, action: 'offline_stamp.missing', details: { from: 1, to: 1 } });
    });
    const sent = [plain(1, 'in', ago(0)), plain(2, 'in', ago(0), '04ffffffffff03')];
    expect(await upload(sent)).toMatchObject({ results: ['accepted', 'deferred'], last: 1 });
    await rejectStamps((await unresolved())[0]!.id);
    expect(await upload(sent)).toMatchObject({ results: ['duplicate', 'unknown_card'], last: 2 });
  });

  it('offline stamps with an unexpected number are kept and do not move the series', async () => {
    const far = plain(2 ** 31 - 1, 'in', ago(0));
    expect(await upload([far])).toMatchObject({ results: ['unexpected_number'], last: 0 });
    expect(await upload([far])).toMatchObject({ results: ['unexpected_number'], last: 0 });
    expect(await unresolved()).toMatchObject([
      { reason: 'unexpected_number', number: 2 ** 31 - 1, person: { id: ida } },
    ]);
    expect(await upload([plain(1, 'in', ago(0) + second)])).toMatchObject({ results: ['accepted'], last: 1 });
    expect((await audited('offline_stamp.missing')).filter(({ to }) => (to as number) > 10_000)).toEqual([]);
  });

  it('offline stamps need a confirmed terminal, one form each, and at most a hundred at once', async () => {
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

  it('two parallel decisions about offline stamps have one outcome', async () => {
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

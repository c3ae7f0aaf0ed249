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
import { type Door, deviceKey, doorOf, type HeldCard, issueBadge, newCode, openDoor, pair } from '../door.js';
import { createWorld, minute, second, type World } from '../world.js';

const path = '/api/v1/terminal/offline';
const statusPath = '/api/v1/terminal/status';

interface OfflineStamp {
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
  const plainStamp = (number: number, action: string, at: Instant, uid = card.uidHex): OfflineStamp => ({
    number,
    uid,
    action,
    at: formatInstant(at),
  });
  const upload = async (stamps: readonly OfflineStamp[], device = door) => {
    const answer = await device.send('POST', path, { stamps });
    return {
      status: answer.status,
      results: ((answer.body['results'] as { result: string }[] | undefined) ?? []).map(({ result }) => result),
      lastNumber: answer.body['last_number'],
      code: answer.body['code'],
    };
  };
  const entries = () =>
    world.db.all<{ status: string; start_at: number; end_at: number | null; proof: string }>(
      'SELECT status, start_at, end_at, proof FROM time_entries WHERE person_id = :ida ORDER BY id',
      { ida },
    );
  const auditDetails = async (action: string) =>
    (
      await world.db.all<{ details: string }>(
        'SELECT details FROM audit_entries WHERE action = :action ORDER BY sequence',
        { action },
      )
    ).map(({ details }) => JSON.parse(details) as Record<string, unknown>);
  const approvals = async () =>
    (await admin.call('GET', `/app/approvals?kind=offline_stamp&user_id=${ida}`)).body['data'] as {
      id: string;
      entry: Record<string, unknown>;
      conflicts: { code: string }[];
    }[];
  interface UnresolvedStamp {
    readonly id: string;
    readonly status: string;
    readonly reason: string;
    readonly [member: string]: unknown;
  }
  /** Stamps of this test's terminals that await a decision, or that are decided. */
  const unresolvedStamps = async (state = 'waiting', device = door) => {
    const stamps: UnresolvedStamp[] = [];
    for (let cursor = ''; ; ) {
      const query = `company_id=${world.nord}&state=${state}&limit=500${cursor}`;
      const { body } = await admin.call('GET', `/app/unresolved-stamps?${query}`);
      stamps.push(...(body['data'] as UnresolvedStamp[]));
      if (body['next_cursor'] === null) break;
      cursor = `&cursor=${body['next_cursor']}`;
    }
    return stamps.filter(({ terminal }) => (terminal as { id: string }).id === device.terminalId);
  };
  const takeStamp = (id: string, body?: object) => admin.call('POST', `/app/unresolved-stamps/${id}/take`, { body });
  const rejectStamps = (...ids: string[]) =>
    admin.call('POST', '/app/unresolved-stamps/reject', { body: { ids, comment: 'Nobody was here.' } });
  const writeAsSystem = <Result>(effect: Parameters<typeof world.service.store.write<Result>>[1]) =>
    world.write(effect);
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
  const seal = (sealKey: string, terminalId: string, number: number, text: string): OfflineStamp => {
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
    const emptyBytes = Buffer.alloc(0);
    const sharedSecret = expand(
      extract(emptyBytes, 'eae_prk', dh, suites.kem),
      'shared_secret',
      Buffer.concat([enc, recipient]),
      32,
      suites.kem,
    );
    const context = Buffer.concat([
      Buffer.of(0),
      extract(emptyBytes, 'psk_id_hash', emptyBytes, suites.all),
      extract(emptyBytes, 'info_hash', Buffer.from('service-terminal-offline-v1'), suites.all),
    ]);
    const secret = extract(sharedSecret, 'secret', emptyBytes, suites.all);
    const cipher = createCipheriv(
      'aes-128-gcm',
      expand(secret, 'key', context, 16, suites.all),
      expand(secret, 'base_nonce', context, 12, suites.all),
    ).setAAD(Buffer.from(`${terminalId}\n${number}`));
    const sealedBytes = Buffer.concat([enc, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return { number, sealed: sealedBytes.toString('base64') };
  };
  const sealedStamp = async (number: number, action: string, at: Instant, device = door, sealedNumber = number) => {
    const { seal_key: key } = (await device.send('GET', statusPath)).body;
    const text = JSON.stringify({ uid: card.uidHex, action, at: formatInstant(at) });
    return { ...seal(key as string, device.terminalId, sealedNumber, text), number };
  };

  it('offline stamps become a pending, unproven entry, and count once it is approved', async () => {
    expect((await door.send('GET', statusPath)).body).toMatchObject({
      offers: { offline: true },
      offline_last_number: 0,
    });
    const [start, end] = [ago(3 * hour), ago(hour)];
    const day1 = [
      plainStamp(1, 'in', start),
      plainStamp(2, 'break_start', ago(2 * hour)),
      plainStamp(3, 'break_end', ago(2 * hour - 20 * minute)),
      await sealedStamp(4, 'out', end),
    ];
    expect(await upload(day1)).toMatchObject({ results: Array(4).fill('accepted'), lastNumber: 4 });
    expect((await door.send('GET', statusPath)).body).toMatchObject({ offline_last_number: 4 });
    expect(await clockState()).toMatchObject({ state: 'out' });
    const [approval, ...rest] = await approvals();
    expect(rest).toEqual([]);
    const source = { kind: 'offline', id: door.terminalId, name: 'Gate' };
    expect(approval).toMatchObject({
      conflicts: [],
      entry: { status: 'pending', proof: 'none', source, start: formatInstant(start), end: formatInstant(end) },
    });
    expect(approval!.entry['stamps']).toMatchObject(
      ['in', 'break_start', 'break_end', 'out'].map((action) => ({ action, source, proof: 'none' })),
    );
    expect((await approve(approval!.id)).body).toMatchObject({
      status: 'approved',
      entry: { status: 'approved', worked_minutes: 100, break_minutes: 20 },
    });
    expect(await clockState()).toMatchObject({ state: 'out' });
    expect((await auditDetails('offline_stamp.recorded')).slice(-4).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it('rejected offline stamps never count', async () => {
    await upload([plainStamp(1, 'in', ago(2 * hour))]);
    const [approval] = await approvals();
    expect(
      (await admin.call('POST', `/app/approvals/${approval!.id}/reject`, { body: { comment: 'Not here.' } })).body,
    ).toMatchObject({ status: 'rejected', entry: { status: 'rejected' } });
    expect(await clockState()).toMatchObject({ state: 'out' });
    expect((await approve(approval!.id)).body).toMatchObject({ code: 'already_decided' });
  });

  it('approved offline stamps without an end clock the person in, and continue from there', async () => {
    const [start, pause] = [ago(3 * hour), ago(2 * hour)];
    await upload([plainStamp(1, 'in', start), plainStamp(2, 'break_start', pause)]);
    expect(await clockState()).toMatchObject({ state: 'out' });
    const [approval] = await approvals();
    expect((await approve(approval!.id)).status).toBe(200);
    expect(await clockState()).toMatchObject({
      state: 'on_break',
      since: formatInstant(start),
      break_since: formatInstant(pause),
      source: { kind: 'offline' },
    });
    expect(await stampNow('break_end')).toMatchObject({ state: 'in', since: formatInstant(start) });
    // Not while the person is clocked in since.
    await upload([plainStamp(3, 'in', ago(minute))]);
    const [secondApproval] = await approvals();
    expect(secondApproval!.conflicts).toMatchObject([{ code: 'entry_overlap' }]);
    expect((await approve(secondApproval!.id)).body).toMatchObject({ code: 'entry_overlap' });
  });

  it('offline stamps that end an online entry replace it, unless a later stamp exists', async () => {
    world.advance(-2 * hour);
    await stampNow('in');
    world.advance(2 * hour);
    const start = ago(2 * hour);
    await upload([
      plainStamp(1, 'break_start', ago(hour)),
      plainStamp(2, 'break_end', ago(50 * minute)),
      plainStamp(3, 'out', ago(minute)),
    ]);
    expect(await clockState()).toMatchObject({ state: 'in' });
    const [approval] = await approvals();
    expect(approval).toMatchObject({ conflicts: [], entry: { start: formatInstant(start), proof: 'none' } });
    expect(approval!.entry['stamps']).toMatchObject([
      { action: 'in', proof: 'badge' },
      {},
      {},
      { action: 'out', proof: 'none' },
    ]);
    expect((await approve(approval!.id)).body).toMatchObject({ entry: { status: 'approved', worked_minutes: 109 } });
    expect(await clockState()).toMatchObject({ state: 'out' });
    expect((await entries()).map(({ status }) => status)).toEqual(['rejected', 'approved']);
    // The next day of the same kind, but the person clocked out online meanwhile.
    await stampNow('in');
    world.advance(2 * hour);
    await upload([plainStamp(4, 'out', ago(minute))]);
    await stampNow('out');
    admin = await world.as(root);
    const [lateApproval] = await approvals();
    expect(lateApproval!.conflicts).toMatchObject([{ code: 'entry_overlap' }]);
    expect((await approve(lateApproval!.id)).body).toMatchObject({ code: 'entry_overlap' });
  });

  it('offline stamps without an entry to continue are shown unchanged and add no minute', async () => {
    await upload([plainStamp(1, 'out', ago(hour)), plainStamp(2, 'break_end', ago(hour - minute))]);
    const waitingApprovals = await approvals();
    expect(waitingApprovals.map(({ entry }) => entry['stamps'])).toMatchObject([
      [{ action: 'out' }],
      [{ action: 'break_end' }],
    ]);
    for (const { id } of waitingApprovals)
      expect((await approve(id)).body).toMatchObject({ entry: { worked_minutes: 0 } });
    expect(await clockState()).toMatchObject({ state: 'out' });
  });

  it('offline stamps count once: repeated, sealed again, parallel, at a replica and after new pairing', async () => {
    const at = ago(hour);
    const batch = [plainStamp(1, 'in', at), plainStamp(2, 'out', at + 10 * minute)];
    const replica = await world.replica();
    const answers = await Promise.all(
      [world.url, replica.url, world.url].map((url) => door.send('POST', path, { stamps: batch }, { url })),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(
      answers.flatMap(({ body }) => (body['results'] as { result: string }[]).map(({ result }) => result)).sort(),
    ).toEqual(['accepted', 'accepted', 'duplicate', 'duplicate', 'duplicate', 'duplicate']);
    // Other bytes, the same stamp; and under another number.
    expect((await upload([await sealedStamp(1, 'in', at)])).results).toEqual(['duplicate']);
    expect(await upload([plainStamp(3, 'in', at)])).toMatchObject({ results: ['duplicate'], lastNumber: 3 });
    // A service clock that goes back by a day takes nothing twice.
    world.advance(-day);
    expect((await upload(batch)).results).toEqual(['duplicate', 'duplicate']);
    world.advance(day);
    const { body } = await pair(world, await newCode(world, door.terminalId), deviceKey(`again ${count}`).publicKey);
    await world.write((write) => confirmTerminal(write, door.terminalId, world.nord, body['fingerprint'] as string));
    const newDevice = doorOf(world, door.terminalId, `again ${count}`);
    expect((await newDevice.send('GET', statusPath)).body).toMatchObject({ offline_last_number: 0 });
    expect((await upload(batch, newDevice)).results).toEqual(['duplicate', 'duplicate']);
    expect(await entries()).toHaveLength(1);
  });

  it('offline stamps with a known number and other content are one conflict, and can be accepted', async () => {
    await upload([plainStamp(1, 'in', ago(hour))]);
    const otherStamp = plainStamp(1, 'out', ago(hour) + second);
    expect(await upload([otherStamp])).toMatchObject({ results: ['conflict'], lastNumber: 1 });
    expect(await upload([otherStamp])).toMatchObject({ results: ['conflict'], lastNumber: 1 });
    // Under a free number the same stamp is known.
    expect(await upload([{ ...otherStamp, number: 2 }])).toMatchObject({ results: ['duplicate'], lastNumber: 2 });
    const [stamp, ...rest] = await unresolvedStamps();
    expect(rest).toEqual([]);
    expect(stamp).toMatchObject({
      reason: 'conflict',
      number: 1,
      person: { id: ida },
      action: 'out',
      at: otherStamp['at'],
    });
    expect((await auditDetails('offline_stamp.unresolved')).at(-1)).toMatchObject({
      number: 1,
      reason: 'conflict',
      person: ida,
    });
    expect(await entries()).toHaveLength(1);
    expect((await takeStamp(stamp!.id)).body).toMatchObject({ status: 'taken', taken_for: { id: ida } });
    expect((await approvals()).map(({ entry }) => entry['stamps'])).toMatchObject([
      [{ action: 'in' }, { action: 'out' }],
    ]);
  });

  it('missing numbers of offline stamps leave an entry in the audit log', async () => {
    const entriesBefore = (await auditDetails('offline_stamp.missing')).length;
    await upload([
      plainStamp(3, 'in', ago(hour)),
      plainStamp(4, 'break_start', ago(hour) + minute),
      plainStamp(7, 'out', ago(minute)),
    ]);
    expect((await auditDetails('offline_stamp.missing')).slice(entriesBefore)).toEqual([
      { from: 1, to: 2 },
      { from: 5, to: 6 },
    ]);
    // One that was missing may still come.
    expect(await upload([plainStamp(5, 'break_end', ago(hour) + 2 * minute)])).toMatchObject({ lastNumber: 7 });
    await upload([plainStamp(8, 'in', ago(second))]);
    expect(await auditDetails('offline_stamp.missing')).toHaveLength(entriesBefore + 2);
  });

  it('offline stamps are kept with a reason where they form no entry', async () => {
    const batch = [
      plainStamp(1, 'in', ago(72 * hour)),
      plainStamp(2, 'in', ago(72 * hour + second)),
      plainStamp(3, 'in', ago(-minute)),
      plainStamp(4, 'in', ago(-minute - second)),
      plainStamp(5, 'in', ago(hour), '04ffffffffffff'),
      await sealedStamp(6, 'in', ago(hour), door, 5),
      { number: 7, sealed: Buffer.alloc(80, 7).toString('base64') },
    ];
    const results = ['accepted', 'too_old', 'accepted', 'in_future', ...Array<string>(3).fill('unknown_card')];
    expect(await upload(batch)).toMatchObject({ results, lastNumber: 7 });
    const futureStamp = (await unresolvedStamps()).find(({ reason }) => reason === 'in_future')!;
    expect((await takeStamp(futureStamp.id)).body).toMatchObject({ code: 'stamp_not_takeable' });
    // The same answer again, also when time has passed, and nothing is kept twice.
    world.advance(hour);
    expect((await upload(batch)).results).toEqual(
      results.map((result) => (result === 'accepted' ? 'duplicate' : result)),
    );
    admin = await world.as(root);
    const stamps = await unresolvedStamps();
    expect(stamps.map(({ number, reason }) => [number, reason])).toEqual([
      [2, 'too_old'],
      [4, 'in_future'],
      [5, 'unknown_card'],
      [6, 'unreadable'],
      [7, 'unreadable'],
    ]);
    expect(stamps[3]).not.toHaveProperty('action');
    expect(JSON.stringify(await world.db.all('SELECT * FROM offline_stamps'))).not.toContain(card.uidHex);
    expect(JSON.stringify(await world.db.all('SELECT * FROM unresolved_stamps'))).not.toContain(card.uidHex);
    const gate = await openDoor(world, `office ${count}`, { departments: [world.office] });
    expect((await upload([plainStamp(1, 'in', ago(hour / 2))], gate)).results).toEqual(['unknown_card']);
    expect(await unresolvedStamps('waiting', gate)).toMatchObject([
      { reason: 'department_not_allowed', person: { id: ida } },
    ]);
  });

  it('offline stamps follow the badge as it was when they were made', async () => {
    const [before, after] = [world.now() + hour, world.now() + 3 * hour];
    world.advance(2 * hour);
    await writeAsSystem(async (write) => markBadgeBlocked(write, await badgeOf(ida), world.nord));
    world.advance(2 * hour);
    expect((await upload([plainStamp(1, 'in', before), plainStamp(2, 'out', after)])).results).toEqual([
      'accepted',
      'unknown_card',
    ]);
    admin = await world.as(root);
    expect(await unresolvedStamps()).toMatchObject([{ reason: 'blocked_badge', person: { id: ida }, number: 2 }]);
    // Found again: the badge was never blocked.
    await writeAsSystem(async (write) => unblockBadge(write, await badgeOf(ida), world.nord));
    expect((await upload([plainStamp(3, 'break_start', after + second)])).results).toEqual(['accepted']);
  });

  it('offline stamps belong to the holder of the card at that time, not to the next one', async () => {
    const firstTime = world.now() + hour;
    world.advance(2 * hour);
    await writeAsSystem(async (write) => returnBadge(write, await badgeOf(ida), world.nord));
    const timeBetween = world.now() + minute;
    world.advance(hour);
    const nextHolder = await world.hire({ firstName: `Next${count}`, employmentStart: '2020-01-01' });
    await writeAsSystem((write) => startIssuing(write, door.terminalId, { id: nextHolder, company_id: world.nord }));
    expect((await door.hold(card)).body).toMatchObject({ result: 'issued' });
    world.advance(minute);
    const batch = [plainStamp(1, 'in', firstTime), plainStamp(2, 'out', timeBetween), plainStamp(3, 'in', ago(0))];
    expect((await upload(batch)).results).toEqual(['accepted', 'unknown_card', 'accepted']);
    expect(await entries()).toHaveLength(1);
    admin = await world.as(root);
    const [stamp] = await unresolvedStamps();
    expect(stamp).toMatchObject({ reason: 'not_issued', number: 2 });
    expect(stamp).not.toHaveProperty('person');
  });

  it('offline stamps of a later leaver count', async () => {
    const at = world.now() + minute;
    world.advance(hour);
    await writeAsSystem(async (write) => {
      await write.lock({ people: [ida] });
      await update(write, 'people', { id: ida }, { active: 0 });
      await announcePerson(write, { id: ida, companyId: world.nord, type: 'user.deactivated' });
      await write.audit({ companyId: world.nord, action: 'person.changed', details: { changed: ['active'] } });
    });
    expect((await upload([plainStamp(1, 'in', at)])).results).toEqual(['accepted']);
    expect(await entries()).toMatchObject([{ status: 'pending' }]);
  });

  it('unresolved offline stamps are shown to the person and to deciders, who accept, assign or reject', async () => {
    const notices = async (browser: Browser) =>
      ((await browser.call('GET', '/app/notices')).body['data'] as { kind: string; read_at?: string }[]).filter(
        ({ kind }) => kind.startsWith('stamp_'),
      );
    const ownStamps = async (browser: Browser) =>
      (await browser.call('GET', '/app/me/unresolved-stamps')).body['data'] as UnresolvedStamp[];
    const boss = await world.hire({
      ...{ firstName: 'Bo', lastName: `Boss${count}`, role: 'company_admin' },
      email: `bo${count}@clockproof.example`,
    });
    const leaId = await world.hire({
      ...{ firstName: 'Lea', role: 'approver', departmentId: world.office },
      email: `lea${count}@clockproof.example`,
    });
    world.advance(80 * hour);
    const idaBrowser = await world.as(ida);
    admin = await world.as(root);
    const start = ago(75 * hour);
    await upload([
      plainStamp(1, 'in', start),
      plainStamp(2, 'out', start + hour),
      plainStamp(3, 'in', ago(hour), '04ffffffffff01'),
      plainStamp(4, 'out', ago(minute), '04ffffffffff01'),
      { number: 5, sealed: Buffer.alloc(80, count).toString('base64') },
    ]);
    expect(await notices(idaBrowser)).toMatchObject([
      { kind: 'stamp_unresolved', day: formatInstant(start).slice(0, 10) },
    ]);
    const bossBrowser = await world.as(boss);
    expect((await notices(bossBrowser)).map(({ kind }) => kind)).toContain('stamp_undecided');
    expect((await ownStamps(idaBrowser)).map(({ number, status }) => [number, status])).toEqual([
      [2, 'waiting'],
      [1, 'waiting'],
    ]);
    const [id1, id2, id3, id4, id5] = (await unresolvedStamps()).map(({ id }) => id) as [
      string,
      string,
      string,
      string,
      string,
    ];
    // Her own, and those of others.
    expect((await idaBrowser.call('GET', '/app/unresolved-stamps')).status).toBe(403);
    expect((await takeStamp(id1)).body).toMatchObject({ status: 'taken', reason: 'too_old', taken_for: { id: ida } });
    expect((await takeStamp(id1)).body).toMatchObject({ code: 'already_decided' });
    expect((await notices(idaBrowser))[0]).toHaveProperty('read_at');
    const [approval] = await approvals();
    expect(approval!.entry).toMatchObject({ status: 'pending', start: formatInstant(start) });
    // A card that nobody has: somebody has to say whose stamp it is.
    expect((await takeStamp(id3)).body).toMatchObject({ code: 'invalid_request', details: [{ field: 'user_id' }] });
    expect((await takeStamp(id3, { user_id: world.people.zoe })).body).toMatchObject({ code: 'not_found' });
    expect(
      (await bossBrowser.call('POST', `/app/unresolved-stamps/${id3}/take`, { body: { user_id: boss } })).body,
    ).toMatchObject({ code: 'own_request' });
    expect((await takeStamp(id3, { user_id: ida })).body).toMatchObject({ status: 'taken', taken_for: { id: ida } });
    expect(await approvals()).toHaveLength(2);
    // An approver of a department decides about nobody else, and about no unknown card.
    const lea = await world.as(leaId);
    expect((await lea.call('GET', '/app/unresolved-stamps')).body['data']).toEqual([]);
    for (const id of [id2, id4]) {
      const answer = await lea.call('POST', `/app/unresolved-stamps/${id}/take`, { body: { user_id: ida } });
      expect(answer.body).toMatchObject({ code: 'not_found' });
    }
    // Given to somebody else, its person hears of it and does not learn whose it is.
    expect((await takeStamp(id2, { user_id: world.people.ben })).body).toMatchObject({
      taken_for: { id: world.people.ben },
    });
    expect((await ownStamps(idaBrowser)).find(({ id }) => id === id2)).not.toHaveProperty('taken_for');
    expect((await takeStamp(id5)).body['code']).toBe('invalid_request');
    expect((await takeStamp(id5, { user_id: ida })).body).toMatchObject({ code: 'stamp_not_takeable' });
    expect((await rejectStamps(id4, id1)).body).toMatchObject({ code: 'already_decided' });
    expect((await unresolvedStamps()).map(({ id }) => id)).toEqual([id4, id5]);
    expect((await rejectStamps(id4, id5)).status).toBe(204);
    expect(await unresolvedStamps()).toEqual([]);
    expect((await unresolvedStamps('decided')).map(({ id, status }) => [id, status])).toEqual([
      [id5, 'rejected'],
      [id4, 'rejected'],
      [id3, 'taken'],
      [id2, 'taken'],
      [id1, 'taken'],
    ]);
    expect((await auditDetails('offline_stamp.taken')).slice(-3).map(({ stamp }) => `ust_${stamp}`)).toEqual([
      id1,
      id3,
      id2,
    ]);
    // What was decided stays so when the device sends it again.
    expect((await upload([plainStamp(1, 'in', start)])).results).toEqual(['too_old']);
    expect(await unresolvedStamps()).toEqual([]);
  });

  it('unresolved offline stamps are decided once, also by parallel deciders', async () => {
    const rounds = 8;
    await upload(
      Array.from({ length: rounds }, (_, index) =>
        plainStamp(index + 1, 'in', ago(minute) + index * second, '04ffffffffff0a'),
      ),
    );
    for (const { id } of await unresolvedStamps()) {
      const answers = await Promise.all([
        takeStamp(id, { user_id: ida }),
        takeStamp(id, { user_id: world.people.ben }),
        rejectStamps(id),
      ]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    }
  });

  it('unresolved offline stamps keep their month open', async () => {
    world.advance(80 * hour);
    const at = ago(75 * hour);
    await upload([plainStamp(1, 'in', at)]);
    admin = await world.as(root);
    const month = formatInstant(at).slice(0, 7);
    const waitingInMonth = async () => {
      const path = `/app/admin/companies/${world.nord}/months?year=${month.slice(0, 4)}`;
      const { body } = await admin.call('GET', path);
      return (body['data'] as { month: string; waiting_requests: number }[]).find((row) => row.month === month)!
        .waiting_requests;
    };
    const waitingBefore = await waitingInMonth();
    await rejectStamps((await unresolvedStamps())[0]!.id);
    expect(await waitingInMonth()).toBe(waitingBefore - 1);
  });

  it('plain offline stamps are refused once the key has sealed one', async () => {
    const batch = [await sealedStamp(1, 'in', ago(0)), plainStamp(2, 'out', ago(0) + second)];
    expect((await upload(batch)).results).toEqual(['accepted', 'not_sealed']);
    expect(await unresolvedStamps()).toMatchObject([{ reason: 'not_sealed', person: { id: ida } }]);
  });

  it('offline stamps of one person are accepted up to a limit', async () => {
    const batchFrom = (first: number) =>
      Array.from({ length: 100 }, (_, index) =>
        plainStamp(first + index, (first + index) % 2 === 1 ? 'in' : 'out', ago(0) + (first + index) * 100),
      );
    world.advance(minute);
    const withWholeSeconds = (stamps: readonly OfflineStamp[]) =>
      stamps.map((stamp, index) => ({ ...stamp, at: formatInstant(ago(minute) + index * second) }));
    expect((await upload(withWholeSeconds(batchFrom(1)).slice(0, 100))).results).toEqual(Array(100).fill('accepted'));
    world.advance(10 * minute);
    expect(
      (await upload([plainStamp(101, 'in', ago(0)), plainStamp(102, 'in', ago(0), '04ffffffffff02')])).results,
    ).toEqual(['too_many', 'unknown_card']);
    world.advance(73 * hour);
    expect((await upload([plainStamp(103, 'in', ago(0))])).results).toEqual(['accepted']);
  });

  it('offline stamps are sent back to the device when too many are unresolved', async () => {
    await writeAsSystem(async (write) => {
      for (let number = 1; number <= 1_000; number += 1)
        await insert(write, 'unresolved_stamps', {
          ...{ company_id: world.nord, terminal_id: door.terminalId, terminal_name: 'Gate', key_fingerprint: 'x' },
          ...{ number, content_hash: `${door.terminalId} ${number}`, reason: 'unknown_card', received_at: write.at },
          status: 'waiting',
        });
      await write.audit({ companyId: world.nord, action: 'offline_stamp.missing', details: { from: 1, to: 1 } });
    });
    const batch = [plainStamp(1, 'in', ago(0)), plainStamp(2, 'in', ago(0), '04ffffffffff03')];
    expect(await upload(batch)).toMatchObject({ results: ['accepted', 'deferred'], lastNumber: 1 });
    await rejectStamps((await unresolvedStamps())[0]!.id);
    expect(await upload(batch)).toMatchObject({ results: ['duplicate', 'unknown_card'], lastNumber: 2 });
  });

  it('offline stamps with an unexpected number are kept and do not move the series', async () => {
    const farStamp = plainStamp(2 ** 31 - 1, 'in', ago(0));
    expect(await upload([farStamp])).toMatchObject({ results: ['unexpected_number'], lastNumber: 0 });
    expect(await upload([farStamp])).toMatchObject({ results: ['unexpected_number'], lastNumber: 0 });
    expect(await unresolvedStamps()).toMatchObject([
      { reason: 'unexpected_number', number: 2 ** 31 - 1, person: { id: ida } },
    ]);
    expect(await upload([plainStamp(1, 'in', ago(0) + second)])).toMatchObject({
      results: ['accepted'],
      lastNumber: 1,
    });
    expect((await auditDetails('offline_stamp.missing')).filter(({ to }) => (to as number) > 10_000)).toEqual([]);
  });

  it('offline stamps need a confirmed terminal, one form each, and at most a hundred at once', async () => {
    const stamp = plainStamp(1, 'in', ago(hour));
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
    const batch = Array.from({ length: 100 }, (_, index) =>
      plainStamp(index + 1, index % 2 === 0 ? 'in' : 'out', ago(10 * hour) + index * minute),
    );
    expect(await upload(batch)).toMatchObject({ results: Array(100).fill('accepted'), lastNumber: 100 });
    expect(await entries()).toHaveLength(50);
    await newCode(world, door.terminalId);
    await pair(world, await newCode(world, door.terminalId), deviceKey(`new ${count}`).publicKey);
    const unconfirmedDevice = doorOf(world, door.terminalId, `new ${count}`);
    expect(await upload([stamp], unconfirmedDevice)).toMatchObject({ status: 403, code: 'terminal_not_confirmed' });
    const offers = (await unconfirmedDevice.send('GET', statusPath)).body;
    expect(offers).toMatchObject({ offers: { offline: false } });
    expect(offers).not.toHaveProperty('seal_key');
  });

  it('two parallel decisions about offline stamps have one outcome', async () => {
    await upload([plainStamp(1, 'in', ago(hour)), plainStamp(2, 'out', ago(minute))]);
    const [approval] = await approvals();
    const answers = await Promise.all([
      approve(approval!.id),
      admin.call('POST', `/app/approvals/${approval!.id}/reject`, { body: { comment: 'No.' } }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await entries()).toHaveLength(1);
  });
});

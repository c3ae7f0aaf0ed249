/**
 * Badges held to doors without a connection, while badges change hands, clocks jump, answers get lost and
 * agents are killed. Whatever a door confirmed can be seen afterwards: in an entry, or as an unresolved stamp. The model
 * keeps its own book of who had which card.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { day, hour, type Instant, minute, parseInstant, second } from '@clockproof/platform/time/instant';
import { type JournalDisk, NotRecorded, openJournal } from '@clockproof/terminal-agent/src/offline/journal';
import { type OfflineEvent, sealStamp } from '@clockproof/terminal-agent/src/offline/seal';
import { uploadJournal } from '@clockproof/terminal-agent/src/offline/upload';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decidePendingEntry } from '../../src/clock/decide-pending-entry.js';
import type { UnresolvedStampRow } from '../../src/clock/unresolved-stamp-rows.js';
import { acceptUnresolvedStamp, dismissUnresolvedStamps } from '../../src/clock/unresolved-stamps.js';
import { announcePerson } from '../../src/people/announce-person.js';
import { findPerson, type PersonRow } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { Refusal } from '../../src/store/refusal.js';
import { update } from '../../src/store/tables.js';
import type { Write } from '../../src/store/write.js';
import { markBadgeBlocked, returnBadge, uidHash, unblockBadge } from '../../src/terminals/badges/badges.js';
import { activateBadge, beginBadge } from '../../src/terminals/badges/rows.js';
import { findTerminal, type TerminalRow } from '../../src/terminals/rows.js';
import { sealKeyFor, storeOfflineStamps } from '../../src/terminals/upload-offline.js';
import { openDoor } from '../door.js';
import { randomOf } from '../random.js';
import { createWorld, type World } from '../world.js';

const stampCount = runs(1_500);
const seed = Number(process.env['MODEL_SEED'] ?? 20261126);
const actions = ['in', 'out', 'break_start', 'break_end'] as const;

class KillError extends Error {}

/** A disk that outlives the agent, and at which the agent can be killed in the middle of a write. */
function diskOf() {
  let content = Buffer.alloc(0);
  let isKilling = false;
  const write = (bytes: Uint8Array, tornBytes: Uint8Array): void => {
    content = Buffer.from(isKilling ? tornBytes : bytes);
    if (!isKilling) return;
    isKilling = false;
    throw new KillError();
  };
  const disk: JournalDisk = {
    read: async () => content,
    append: async (bytes) =>
      write(Buffer.concat([content, bytes]), Buffer.concat([content, bytes.subarray(0, bytes.length / 2)])),
    truncate: async (length) => {
      content = content.subarray(0, length);
    },
    replace: async (bytes) => write(bytes, content),
  };
  return {
    disk,
    killAtNextWrite: () => {
      isKilling = true;
    },
    copy: () => Buffer.from(content),
    restore: (bytes: Buffer) => {
      content = Buffer.from(bytes);
    },
  };
}

interface Pc {
  readonly terminalId: string;
  readonly sealKey: string;
  readonly storage: ReturnType<typeof diskOf>;
  journal: Awaited<ReturnType<typeof openJournal>>;
  /** How far its clock is ahead, in ms. */
  clockOffsetMs: number;
}

interface ConfirmedStamp extends OfflineEvent {
  readonly terminalId: string;
  readonly instant: Instant;
}

/** Who had a card from when until when, and when it was blocked. */
interface Holding {
  readonly badge: string;
  readonly person: number;
  readonly from: Instant;
  until: Instant;
  blockedFrom: Instant;
}

describe.each(oneDialect)('the doors of a company on %s', (dialect) => {
  let world: World;
  let boss: PersonRow;
  const random = randomOf(seed);
  const chance = (percent: number) => random(100) < percent;
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  afterAll(() => world.close());

  const write = <Result>(effect: (write: Write) => Promise<Result>) => world.write(effect);

  it(`the doors of a company lose none of ${stampCount} stamps`, async () => {
    const dataKey = world.service.dataKey!;
    world.set(parseInstant('2026-11-02T05:00:00Z')!);
    const bossId = await world.hire({ firstName: 'Bo', role: 'company_admin' });
    boss = (await findPerson(world.db, bossId, allCompanies))!;
    const people: number[] = [];
    for (let count = 0; count < 30; count += 1)
      people.push(await world.hire({ firstName: `P${count}`, employmentStart: '2020-01-01' }));
    const cards = Array.from({ length: 36 }, (_, index) => `04a0b0c0d0e0${String(index).padStart(2, '0')}`);
    const book = new Map<string, Holding[]>(cards.map((uid) => [uid, []]));
    const currentHolding = (uid: string) => book.get(uid)!.find(({ until }) => until === Number.POSITIVE_INFINITY);
    const terminalIds: string[] = [];
    for (let count = 0; count < 5; count += 1) terminalIds.push((await openDoor(world, `model ${count}`)).terminalId);

    let badges = 0;
    const issue = async (uid: string, person: number) => {
      badges += 1;
      const [id, at] = [`bdg_MODEL${badges}`, world.now()];
      await write(async (tx) => {
        await tx.lock({ people: [person] });
        const card = { uid_hash: uidHash(dataKey, world.nord, Buffer.from(uid, 'hex')), key_number: 1, key_version: 1 };
        await beginBadge(tx, { id, company_id: world.nord, person_id: person, created_at: at, ...card });
        const activation = { family: 'desfire', aid: null, locked: 0, issued_terminal_id: terminalIds[0]! } as const;
        await activateBadge(tx, id, activation, at);
        await tx.audit({
          companyId: world.nord,
          action: 'badge.issued',
          subject: `badge ${id}`,
          details: { person, family: 'desfire' },
        });
      });
      const endOfTime = Number.POSITIVE_INFINITY;
      book.get(uid)!.push({ badge: id, person, from: at, until: endOfTime, blockedFrom: endOfTime });
    };
    for (const [index, person] of people.entries()) await issue(cards[index]!, person);

    const terminalOf = async (id: string): Promise<TerminalRow> => (await findTerminal(world.db, id))!;
    const pcs: Pc[] = [];
    for (const terminalId of terminalIds) {
      const storage = diskOf();
      pcs.push({
        terminalId,
        sealKey: sealKeyFor(dataKey, terminalId),
        storage,
        journal: await openJournal(storage.disk),
        clockOffsetMs: 0,
      });
    }
    const restart = async (pc: Pc) => {
      pc.journal = await openJournal(pc.storage.disk);
    };
    const counts: Record<string, number> = {};
    const count = (event: string) => {
      counts[event] = (counts[event] ?? 0) + 1;
    };

    /** @param isReliable without lost requests, lost answers and kills */
    const upload = async (pc: Pc, isReliable = false) => {
      const api: Parameters<typeof uploadJournal>[1] = {
        async offline({ stamps }) {
          if (!isReliable && chance(10)) return { kind: 'unanswered', reason: 'the request was lost' };
          const terminal = await terminalOf(pc.terminalId);
          const body = await write((tx) => storeOfflineStamps(tx, dataKey, terminal, [...stamps]));
          for (const { result } of body.results) count(result);
          if (!isReliable && chance(10)) return { kind: 'unanswered', reason: 'the answer was lost' };
          return { kind: 'answered', body };
        },
      };
      if (!isReliable && chance(10)) pc.storage.killAtNextWrite();
      try {
        await uploadJournal(pc.journal, api);
      } catch (error) {
        if (!(error instanceof KillError)) throw error;
        count('killed while uploading');
        await restart(pc);
      }
    };
    const waitingStampsOf = (terminalId?: string) =>
      world.db.all<UnresolvedStampRow>(
        `SELECT * FROM unresolved_stamps WHERE status = 'waiting' ${terminalId === undefined ? '' : 'AND terminal_id = :terminalId'}
         ORDER BY id LIMIT 100`,
        { terminalId: terminalId ?? null },
      );
    const reject = (stamps: readonly UnresolvedStampRow[]) =>
      write((tx) => dismissUnresolvedStamps(tx, { ids: stamps.map(({ id }) => id), by: boss, comment: 'No' }));
    /** Uploads everything. The service sends stamps back until earlier ones are decided. */
    const drain = async (pc: Pc) => {
      await upload(pc, true);
      while (pc.journal.waiting().length > 0) {
        await reject(await waitingStampsOf(pc.terminalId));
        await upload(pc, true);
      }
    };
    /** A new key after two devices had shared one; the administrator empties the journal first, as the guide says. */
    const pairAgain = async (pc: Pc) => {
      await drain(pc);
      const fingerprint = `model ${random(1_000_000_000)}`;
      await write(async (tx) => {
        tx.unaudited('read');
        await update(tx, 'terminals', { id: pc.terminalId }, { fingerprint });
      });
      pc.storage.restore(Buffer.alloc(0));
      await restart(pc);
      count('paired again');
    };

    const confirmedStamps: ConfirmedStamp[] = [];
    const hold = async (pc: Pc) => {
      const uid = chance(2) ? '04ffffffffffff' : pick(cards);
      const instant = Math.floor((world.now() + pc.clockOffsetMs) / second) * second;
      const at = new Date(instant).toISOString().replace('.000', '');
      const event: OfflineEvent = { uid, action: pick(actions), at };
      const { terminalId, sealKey } = pc;
      if (chance(1)) pc.storage.killAtNextWrite();
      try {
        await pc.journal.record((number) => sealStamp(event, { sealKey, terminalId, number }, world.randomBytes));
        confirmedStamps.push({ ...event, terminalId, instant });
      } catch (error) {
        if (!(error instanceof NotRecorded)) throw error;
        if (error.cause instanceof KillError) await restart(pc);
        else await pairAgain(pc);
      }
    };

    const decide = async () => {
      const waitingStamps = await waitingStampsOf();
      const [entry] = await world.db.all<{ id: number }>(
        "SELECT id FROM time_entries WHERE status = 'pending' ORDER BY id LIMIT 1",
        {},
      );
      const tries: (() => Promise<unknown>)[] = [];
      if (waitingStamps.length > 50) tries.push(() => reject(waitingStamps.slice(10, 40)));
      if (waitingStamps.length > 0)
        tries.push(() =>
          write((tx) => acceptUnresolvedStamp(tx, { id: pick(waitingStamps).id, by: boss, personId: pick(people) })),
        );
      if (entry !== undefined) {
        const decision = chance(70) ? ('approved' as const) : ('rejected' as const);
        tries.push(() => write((tx) => decidePendingEntry(tx, { id: entry.id, by: boss, decision, comment: 'Seen' })));
      }
      for (const attempt of tries) {
        try {
          await attempt();
          count('decided');
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      }
    };

    const changeHands = async () => {
      const uid = pick(cards);
      const holding = currentHolding(uid);
      if (holding === undefined) return issue(uid, pick(people));
      if (chance(40)) {
        await write((tx) => returnBadge(tx, holding.badge, world.nord));
        holding.until = world.now();
        count('returned');
      } else if (holding.blockedFrom === Number.POSITIVE_INFINITY) {
        // Somebody who leaves is deactivated and their badge is blocked.
        const isLeaving = chance(30);
        await write((tx) => markBadgeBlocked(tx, holding.badge, world.nord));
        if (isLeaving)
          await write(async (tx) => {
            await tx.lock({ people: [holding.person] });
            await update(tx, 'people', { id: holding.person }, { active: 0 });
            await announcePerson(tx, { id: holding.person, companyId: world.nord, type: 'user.deactivated' });
            await tx.audit({ companyId: world.nord, action: 'person.changed', details: { changed: ['active'] } });
          });
        holding.blockedFrom = world.now();
        count(isLeaving ? 'left' : 'blocked');
      } else {
        await write((tx) => unblockBadge(tx, holding.badge, world.nord));
        holding.blockedFrom = Number.POSITIVE_INFINITY;
        count('unblocked');
      }
    };

    while (confirmedStamps.length < stampCount) {
      const pc = pick(pcs);
      // Mornings are crowded; now and then nobody comes for hours, or the network is away for days.
      world.advance(chance(2) ? random(12) * hour : second + random(2 * minute));
      if (random(400) === 0) world.advance(80 * hour + random(2 * day));
      await hold(pc);
      if (chance(2)) await changeHands();
      if (chance(1))
        pc.clockOffsetMs = chance(50) ? 0 : pick([-26 * hour, -hour, -5 * minute, 3 * minute, hour, 30 * day]);
      if (chance(1)) await restart(pc);
      if (chance(3)) await upload(pc);
      if (chance(1)) await decide();
      if (random(300) === 0) {
        // A second PC from a copied disk stamps and uploads first.
        if (pc.journal.stopped()) await pairAgain(pc);
        const twin: Pc = { ...pc, storage: diskOf() };
        twin.storage.restore(pc.storage.copy());
        await restart(twin);
        for (let index = 0; index < 3; index += 1) {
          world.advance(second);
          await hold(twin);
        }
        await drain(twin);
        await drain(pc);
        count('cloned');
      }
    }
    for (const pc of pcs) {
      await restart(pc);
      await drain(pc);
    }

    // A model in which something never happens proves nothing about it.
    const expectedEvents = [
      ...['accepted', 'duplicate', 'conflict', 'too_old', 'in_future', 'unknown_card', 'decided', 'returned'],
      ...['blocked', 'left', 'unblocked', 'paired again', 'killed while uploading', 'cloned'],
    ];
    expect(expectedEvents.filter((event) => counts[event] === undefined)).toEqual([]);

    const key = (...parts: readonly (string | number | null)[]) => parts.join(' ');
    /** Stamps of entries, by person. */
    const peopleByStamp = new Map<string, Set<number>>();
    for (const { person_id: person, stamps } of await world.db.all<{ person_id: number; stamps: string }>(
      "SELECT person_id, stamps FROM time_entries WHERE source_kind = 'offline'",
      {},
    ))
      for (const [action, at, , terminal] of JSON.parse(stamps) as [string, number, string, string][]) {
        const id = key(terminal, action, at);
        peopleByStamp.set(id, (peopleByStamp.get(id) ?? new Set()).add(person));
      }
    const unresolvedStamps = new Map<string, UnresolvedStampRow>();
    for (const row of await world.db.all<UnresolvedStampRow>('SELECT * FROM unresolved_stamps', {}))
      unresolvedStamps.set(key(row.terminal_id, row.card_hash, row.action, row.stamped_at), row);
    const lostStamps: string[] = [];
    const misplacedStamps: string[] = [];
    const statusCounts: Record<string, number> = {};
    for (const { uid, action, at, instant, terminalId } of confirmedStamps) {
      const text = `${at} ${action} of ${uid} at ${terminalId}`;
      const hash = uidHash(dataKey, world.nord, Buffer.from(uid, 'hex'));
      const holders = peopleByStamp.get(key(terminalId, action, instant));
      const row = unresolvedStamps.get(key(terminalId, hash, action, instant));
      const holding = book.get(uid)?.find(({ from, until }) => from < instant + second && instant < until);
      if (row !== undefined) {
        statusCounts[row.status] = (statusCounts[row.status] ?? 0) + 1;
        // Who will have the card is known to nobody.
        if (row.reason !== 'in_future' && row.person_id !== (holding?.person ?? null))
          misplacedStamps.push(`${text}: ${row.person_id}`);
        if (row.status === 'taken' && holders?.has(row.taken_for!) !== true) lostStamps.push(`${text}: taken`);
      } else if (holding === undefined) misplacedStamps.push(`${text}: accepted without a holder`);
      else if (holders?.has(holding.person) !== true) lostStamps.push(text);
      else statusCounts['recorded'] = (statusCounts['recorded'] ?? 0) + 1;
    }
    expect(lostStamps).toEqual([]);
    expect(misplacedStamps).toEqual([]);
    expect(Object.keys(statusCounts).sort()).toEqual(['recorded', 'rejected', 'taken', 'waiting']);
    expect(Object.values(statusCounts).reduce((sum, value) => sum + value, 0)).toBe(confirmedStamps.length);
  });
});

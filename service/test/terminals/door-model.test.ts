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
import { openDoor, system } from '../door.js';
import { randomOf } from '../random.js';
import { createWorld, type World } from '../world.js';

const holds = runs(1_500);
const seed = Number(process.env['MODEL_SEED'] ?? 20261126);
const actions = ['in', 'out', 'break_start', 'break_end'] as const;

class Killed extends Error {}

/** A disk that outlives the agent, and at which the agent can be killed in the middle of a write. */
function diskOf() {
  let kept = Buffer.alloc(0);
  let isKilling = false;
  const write = (whole: Uint8Array, torn: Uint8Array): void => {
    kept = Buffer.from(isKilling ? torn : whole);
    if (!isKilling) return;
    isKilling = false;
    throw new Killed();
  };
  const disk: JournalDisk = {
    read: async () => kept,
    append: async (bytes) =>
      write(Buffer.concat([kept, bytes]), Buffer.concat([kept, bytes.subarray(0, bytes.length / 2)])),
    truncate: async (length) => {
      kept = kept.subarray(0, length);
    },
    replace: async (bytes) => write(bytes, kept),
  };
  return {
    disk,
    killAtNextWrite: () => {
      isKilling = true;
    },
    copy: () => Buffer.from(kept),
    restore: (bytes: Buffer) => {
      kept = Buffer.from(bytes);
    },
  };
}

interface Pc {
  readonly terminalId: string;
  readonly sealKey: string;
  readonly storage: ReturnType<typeof diskOf>;
  journal: Awaited<ReturnType<typeof openJournal>>;
  /** How far its clock is ahead, in ms. */
  ahead: number;
}

interface Confirmed extends OfflineEvent {
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

  const write = <Result>(effect: (write: Write) => Promise<Result>) =>
    world.service.store.write({ actor: system, at: world.now() }, effect);

  it(`the doors of a company lose none of ${holds} stamps`, async () => {
    const dataKey = world.service.dataKey!;
    world.set(parseInstant('2026-11-02T05:00:00Z')!);
    const bossId = await world.hire({ firstName: 'Bo', role: 'company_admin' });
    boss = (await findPerson(world.db, bossId, allCompanies))!;
    const people: number[] = [];
    for (let count = 0; count < 30; count += 1)
      people.push(await world.hire({ firstName: `P${count}`, employmentStart: '2020-01-01' }));
    const cards = Array.from({ length: 36 }, (_, index) => `04a0b0c0d0e0${String(index).padStart(2, '0')}`);
    const book = new Map<string, Holding[]>(cards.map((uid) => [uid, []]));
    const current = (uid: string) => book.get(uid)!.find(({ until }) => until === Number.POSITIVE_INFINITY);
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
        const made = { family: 'desfire', aid: null, locked: 0, issued_terminal_id: terminalIds[0]! } as const;
        await activateBadge(tx, id, made, at);
        await tx.audit({
          companyId: world.nord,
          action: 'badge.issued',
          subject: `badge ${id}`,
          details: { person, family: 'desfire' },
        });
      });
      const never = Number.POSITIVE_INFINITY;
      book.get(uid)!.push({ badge: id, person, from: at, until: never, blockedFrom: never });
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
        ahead: 0,
      });
    }
    const restart = async (pc: Pc) => {
      pc.journal = await openJournal(pc.storage.disk);
    };
    const counts: Record<string, number> = {};
    const count = (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1;
    };

    /** @param reliable without lost requests, lost answers and kills */
    const upload = async (pc: Pc, reliable = false) => {
      const api: Parameters<typeof uploadJournal>[1] = {
        async offline({ stamps }) {
          if (!reliable && chance(10)) return { kind: 'unanswered', reason: 'the request was lost' };
          const terminal = await terminalOf(pc.terminalId);
          const body = await write((tx) => storeOfflineStamps(tx, dataKey, terminal, [...stamps]));
          for (const { result } of body.results) count(result);
          if (!reliable && chance(10)) return { kind: 'unanswered', reason: 'the answer was lost' };
          return { kind: 'answered', body };
        },
      };
      if (!reliable && chance(10)) pc.storage.killAtNextWrite();
      try {
        await uploadJournal(pc.journal, api);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        count('killed while uploading');
        await restart(pc);
      }
    };
    const waitingOf = (terminalId?: string) =>
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
        await reject(await waitingOf(pc.terminalId));
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

    const confirmed: Confirmed[] = [];
    const hold = async (pc: Pc) => {
      const uid = chance(2) ? '04ffffffffffff' : pick(cards);
      const instant = Math.floor((world.now() + pc.ahead) / second) * second;
      const at = new Date(instant).toISOString().replace('.000', '');
      const event: OfflineEvent = { uid, action: pick(actions), at };
      const { terminalId, sealKey } = pc;
      if (chance(1)) pc.storage.killAtNextWrite();
      try {
        await pc.journal.record((number) => sealStamp(event, { sealKey, terminalId, number }, world.randomBytes));
        confirmed.push({ ...event, terminalId, instant });
      } catch (error) {
        if (!(error instanceof NotRecorded)) throw error;
        if (error.cause instanceof Killed) await restart(pc);
        else await pairAgain(pc);
      }
    };

    const decide = async () => {
      const waiting = await waitingOf();
      const [entry] = await world.db.all<{ id: number }>(
        "SELECT id FROM time_entries WHERE status = 'pending' ORDER BY id LIMIT 1",
        {},
      );
      const tries: (() => Promise<unknown>)[] = [];
      if (waiting.length > 50) tries.push(() => reject(waiting.slice(10, 40)));
      if (waiting.length > 0)
        tries.push(() =>
          write((tx) => acceptUnresolvedStamp(tx, { id: pick(waiting).id, by: boss, personId: pick(people) })),
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
      const holding = current(uid);
      if (holding === undefined) return issue(uid, pick(people));
      if (chance(40)) {
        await write((tx) => returnBadge(tx, holding.badge, world.nord));
        holding.until = world.now();
        count('returned');
      } else if (holding.blockedFrom === Number.POSITIVE_INFINITY) {
        // Somebody who leaves is deactivated and their badge is blocked.
        const leaves = chance(30);
        await write((tx) => markBadgeBlocked(tx, holding.badge, world.nord));
        if (leaves)
          await write(async (tx) => {
            await tx.lock({ people: [holding.person] });
            await update(tx, 'people', { id: holding.person }, { active: 0 });
            await announcePerson(tx, { id: holding.person, companyId: world.nord, type: 'user.deactivated' });
            await tx.audit({ companyId: world.nord, action: 'person.changed', details: { changed: ['active'] } });
          });
        holding.blockedFrom = world.now();
        count(leaves ? 'left' : 'blocked');
      } else {
        await write((tx) => unblockBadge(tx, holding.badge, world.nord));
        holding.blockedFrom = Number.POSITIVE_INFINITY;
        count('unblocked');
      }
    };

    while (confirmed.length < holds) {
      const pc = pick(pcs);
      // Mornings are crowded; now and then nobody comes for hours, or the network is away for days.
      world.advance(chance(2) ? random(12) * hour : second + random(2 * minute));
      if (random(400) === 0) world.advance(80 * hour + random(2 * day));
      await hold(pc);
      if (chance(2)) await changeHands();
      if (chance(1)) pc.ahead = chance(50) ? 0 : pick([-26 * hour, -hour, -5 * minute, 3 * minute, hour, 30 * day]);
      if (chance(1)) await restart(pc);
      if (chance(3)) await upload(pc);
      if (chance(1)) await decide();
      if (random(300) === 0) {
        // A second PC from a copied disk stamps and uploads first.
        if (pc.journal.stopped()) await pairAgain(pc);
        const twin: Pc = { ...pc, storage: diskOf() };
        twin.storage.restore(pc.storage.copy());
        await restart(twin);
        for (let more = 0; more < 3; more += 1) {
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
    const expected = [
      ...['accepted', 'duplicate', 'conflict', 'too_old', 'in_future', 'unknown_card', 'decided', 'returned'],
      ...['blocked', 'left', 'unblocked', 'paired again', 'killed while uploading', 'cloned'],
    ];
    expect(expected.filter((what) => counts[what] === undefined)).toEqual([]);

    const key = (...parts: readonly (string | number | null)[]) => parts.join(' ');
    /** Stamps of entries, by person. */
    const inEntries = new Map<string, Set<number>>();
    for (const { person_id: person, stamps } of await world.db.all<{ person_id: number; stamps: string }>(
      "SELECT person_id, stamps FROM time_entries WHERE source_kind = 'offline'",
      {},
    ))
      for (const [action, at, , terminal] of JSON.parse(stamps) as [string, number, string, string][]) {
        const id = key(terminal, action, at);
        inEntries.set(id, (inEntries.get(id) ?? new Set()).add(person));
      }
    const unresolved = new Map<string, UnresolvedStampRow>();
    for (const row of await world.db.all<UnresolvedStampRow>('SELECT * FROM unresolved_stamps', {}))
      unresolved.set(key(row.terminal_id, row.card_hash, row.action, row.stamped_at), row);
    const lost: string[] = [];
    const misplaced: string[] = [];
    const shown: Record<string, number> = {};
    for (const { uid, action, at, instant, terminalId } of confirmed) {
      const text = `${at} ${action} of ${uid} at ${terminalId}`;
      const hash = uidHash(dataKey, world.nord, Buffer.from(uid, 'hex'));
      const holders = inEntries.get(key(terminalId, action, instant));
      const kept = unresolved.get(key(terminalId, hash, action, instant));
      const holding = book.get(uid)?.find(({ from, until }) => from < instant + second && instant < until);
      if (kept !== undefined) {
        shown[kept.status] = (shown[kept.status] ?? 0) + 1;
        // Who will have the card is known to nobody.
        if (kept.reason !== 'in_future' && kept.person_id !== (holding?.person ?? null))
          misplaced.push(`${text}: ${kept.person_id}`);
        if (kept.status === 'taken' && holders?.has(kept.taken_for!) !== true) lost.push(`${text}: taken`);
      } else if (holding === undefined) misplaced.push(`${text}: accepted without a holder`);
      else if (holders?.has(holding.person) !== true) lost.push(text);
      else shown['recorded'] = (shown['recorded'] ?? 0) + 1;
    }
    expect(lost).toEqual([]);
    expect(misplaced).toEqual([]);
    expect(Object.keys(shown).sort()).toEqual(['recorded', 'rejected', 'taken', 'waiting']);
    expect(Object.values(shown).reduce((sum, one) => sum + one, 0)).toBe(confirmed.length);
  });
});

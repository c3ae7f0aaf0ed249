/**
 * The floor of a clock write: the fewest statements that leave the same rows behind, without deciding anything and
 * without any of the service's code. PostgreSQL: one read and one statement. SQLite: one transaction, shared by the
 * writers that wait.
 */

import type { Database, Transaction } from '@clockproof/platform/database/database';
import { isPostgres } from '@clockproof/platform/database/postgres';

export interface Floor {
  stamp(personId: number, direction: 'in' | 'out'): Promise<object>;
}

const payload = JSON.stringify({ record: 'x'.repeat(600) });
const hash = 'f'.repeat(64);

const readStatement = `SELECT k.scopes, p.*, c.state, c.since FROM floor_keys k, floor_people p JOIN floor_clocks c ON c.person = p.id
  WHERE k.lookup = :lookup AND p.id = :person`;

const writeStatement = `WITH head AS (UPDATE floor_head SET sequence = sequence + 1, hash = :hash WHERE one = 1 RETURNING sequence),
  clock AS (UPDATE floor_clocks SET state = :direction, since = :at WHERE person = :person RETURNING person),
  entry AS (INSERT INTO floor_entries (person, company, date, start_at, breaks, changed) SELECT :person, 1, :date, :at, '[]', head.sequence FROM head, clock RETURNING id),
  audited AS (INSERT INTO floor_audit (sequence, at, actor, details, hash) SELECT head.sequence, :at, 'extension', '{}', :hash FROM head),
  happened AS (INSERT INTO floor_events (sequence, type, at, person, payload) SELECT head.sequence, :direction, :at, :person, :payload FROM head)
  SELECT entry.id, head.sequence FROM entry, head`;

/** @param people ids to make rows for */
export async function createFloor(db: Database, people: readonly number[]): Promise<Floor> {
  const { integer, identity } = db.dialect;
  await db.write(async (tx) => {
    for (const statement of [
      `CREATE TABLE floor_people (id ${integer} PRIMARY KEY, company ${integer}, time_zone TEXT)`,
      `CREATE TABLE floor_clocks (person ${integer} PRIMARY KEY, state TEXT, since ${integer})`,
      `CREATE TABLE floor_entries (id ${identity}, person ${integer}, company ${integer}, date TEXT, start_at ${integer}, breaks TEXT, changed ${integer})`,
      'CREATE INDEX floor_entries_by_change ON floor_entries (company, changed)',
      'CREATE INDEX floor_entries_by_person ON floor_entries (person, start_at)',
      `CREATE TABLE floor_head (one ${integer} PRIMARY KEY, sequence ${integer}, hash TEXT)`,
      "INSERT INTO floor_head (one, sequence, hash) VALUES (1, 0, '')",
      `CREATE TABLE floor_audit (sequence ${integer} PRIMARY KEY, at ${integer}, actor TEXT, details TEXT, hash TEXT)`,
      `CREATE TABLE floor_events (sequence ${integer} PRIMARY KEY, type TEXT, at ${integer}, person ${integer}, payload TEXT)`,
      'CREATE TABLE floor_keys (lookup TEXT PRIMARY KEY, scopes TEXT)',
      "INSERT INTO floor_keys (lookup, scopes) VALUES ('key', 'write:clock')",
    ]) {
      await tx.run(statement);
    }
    for (const id of people) {
      await tx.run("INSERT INTO floor_people (id, company, time_zone) VALUES (:id, 1, 'Europe/Berlin')", { id });
      await tx.run("INSERT INTO floor_clocks (person, state, since) VALUES (:id, 'out', 0)", { id });
    }
  });
  const stepByStep = (values: { person: number; direction: string; at: number; date: string }) =>
    db.write(async (tx: Transaction) => {
      const { person, direction, at, date } = values;
      const head = (await tx.get<{ sequence: number }>(
        'UPDATE floor_head SET sequence = sequence + 1, hash = :hash WHERE one = 1 RETURNING sequence',
        { hash },
      ))!;
      const { sequence } = head;
      await tx.run('UPDATE floor_clocks SET state = :direction, since = :at WHERE person = :person', {
        direction,
        at,
        person,
      });
      await tx.run(
        "INSERT INTO floor_entries (person, company, date, start_at, breaks, changed) VALUES (:person, 1, :date, :at, '[]', :sequence)",
        { person, date, at, sequence },
      );
      await tx.run(
        "INSERT INTO floor_audit (sequence, at, actor, details, hash) VALUES (:sequence, :at, 'extension', '{}', :hash)",
        { sequence, at, hash },
      );
      await tx.run(
        'INSERT INTO floor_events (sequence, type, at, person, payload) VALUES (:sequence, :direction, :at, :person, :payload)',
        { sequence, direction, at, person, payload },
      );
      return head;
    });
  return {
    async stamp(person, direction) {
      const at = Date.now();
      const date = new Date(at).toISOString().slice(0, 10);
      const readRow = await db.get(readStatement, { lookup: 'key', person });
      const writtenRow = isPostgres(db.dialect)
        ? await db.get(writeStatement, { person, direction, at, date, hash, payload })
        : await stepByStep({ person, direction, at, date });
      return { read: readRow, written: writtenRow, record: payload };
    },
  };
}

/**
 * `audit verify` on SQLite: so many time entries (1,000,000 unless told), each with its signed entry in the log. The
 * command runs in a process of its own, which says how much memory it took at most.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpus } from 'node:os';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase } from '@clockproof/platform/testing/databases';
import { day, hour, minute, parseInstant } from '@clockproof/platform/time/instant';
import { insertEntry } from '../src/clocking/rows.js';
import { migrations } from '../src/migrations/migrations.js';
import { addCompany, addPerson } from '../src/people/people.js';
import { createDataKey, signWith } from '../src/sealing/data-key.js';
import { noteSigning, sealAll } from '../src/store/seal.js';
import { createStore } from '../src/store/write.js';

const rows = Number(process.argv[2] ?? 1_000_000);
const together = 500;
const system = { kind: 'system' } as const;
const start = parseInstant('2020-01-01T08:00:00Z')!;
const dataKey = createHash('sha256').update('the data key of the bench').digest();

const home = await createTestDatabase('sqlite', migrations);
const db = await openDatabase(home.settings);
const sign = signWith(createDataKey(dataKey, (size) => new Uint8Array(size)));
const store = createStore(db, { sign });
await noteSigning(store, start);
const { companyId, people } = await store.write({ actor: system, at: start }, async (write) => {
  const companyId = await addCompany(write, { name: 'Bench', timeZone: 'UTC', country: 'DE' });
  const people: number[] = [];
  for (let index = 0; index < 200; index++)
    people.push(
      await addPerson(write, {
        companyId,
        firstName: 'Person',
        lastName: String(index),
        role: 'employee',
        language: 'en',
        employmentStart: '2020-01-01',
      }),
    );
  return { companyId, people };
});
const filling = performance.now();
for (let done = 0; done < rows; done += together)
  await store.write({ actor: system, at: start }, async (write) => {
    for (let index = done; index < Math.min(rows, done + together); index++) {
      const personId = people[index % people.length]!;
      const began = start + Math.floor(index / people.length) * 12 * hour;
      const { id } = await insertEntry(write, {
        company_id: companyId,
        person_id: personId,
        date: new Date(began - (began % day)).toISOString().slice(0, 10),
        start_at: began,
        end_at: began + 8 * hour,
        breaks: JSON.stringify([[began + 4 * hour, began + 4 * hour + 30 * minute]]),
        stamps: null,
        status: 'recorded',
        source_kind: 'web',
        source_id: null,
        source_name: null,
        proof: null,
        comment: null,
        break_rules: null,
        created_at: began,
        updated_at: began,
      });
      await write.audit({
        companyId,
        action: 'entry.corrected',
        subject: `person ${personId}`,
        details: { entry: id },
      });
    }
  });
console.log(
  `${cpus()[0]?.model}, Node ${process.version}: filled in ${Math.round((performance.now() - filling) / 1_000)} s`,
);
await sealAll(store, () => start);
await db.close();

const peak = 'data:text/javascript,process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))';
const began = performance.now();
const { stdout, stderr, status } = spawnSync(
  process.execPath,
  ['--import', peak, new URL('../src/main.js', import.meta.url).pathname, 'audit', 'verify'],
  {
    encoding: 'utf8',
    env: { ...process.env, DB_DRIVER: 'sqlite', DB_DSN: home.settings.dsn, DATA_KEY: dataKey.toString('base64') },
  },
);
const seconds = (performance.now() - began) / 1_000;
const megabytes = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1_024;
console.log(stdout.trim(), stderr.trim());
console.log(`audit verify: exit ${status}, ${seconds.toFixed(1)} s, ${Math.round(megabytes)} MB at most`);
await home.drop();

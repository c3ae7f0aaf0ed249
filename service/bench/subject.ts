/**
 * The process under load: the service as it runs in production, and the ceiling beside it: stamps by bare node:http
 * over the fewest statements (floor.ts), lists with the same answers by a stock Express application (stock.ts), or
 * under `/rows` the rows as they are. Both on the same database. Prints one JSON line with the data for the load, then
 * serves until a signal stops it.
 */

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createLog } from '@clockproof/platform/log';
import { day, formatInstant, hour } from '@clockproof/platform/time/instant';
import { addExtension } from '../src/access/integrations/extensions.js';
import { switchPeopleAccess } from '../src/access/integrations/people-access.js';
import { addEntry } from '../src/clock/change-entry.js';
import { listEntries } from '../src/clock/rows.js';
import { presentEntry } from '../src/clock/time-entry.js';
import { readConfig } from '../src/config.js';
import { recordExtension } from '../src/extensions/extensions.js';
import { announcePerson } from '../src/people/announce-person.js';
import { recordCompany } from '../src/people/people.js';
import { insertPerson } from '../src/people/rows.js';
import { startService } from '../src/service.js';
import { berlin } from '../test/zones.js';
import { createFloor } from './floor.js';
import { createStock } from './stock.js';

const config = readConfig({
  ...process.env,
  LISTEN_ADDR: '127.0.0.1:0',
  RATE_API_PER_MINUTE: '1000000',
  RATE_IP_PER_MINUTE: '1000000',
});
// The first line of the output is ours; the one long write of the seed would cause a warning.
const service = await startService({ config, log: createLog('error', 'service') });
const { db } = service;
const at = Date.now();
const system = { kind: 'system' } as const;

const seed = await service.store.write({ actor: system, at }, async (write) => {
  const company = await recordCompany(write, { name: 'Bench', timeZone: berlin, country: 'DE' });
  const people: number[] = [];
  // Enough people that no one stamps more often in a day than people do.
  for (let index = 0; index < 9_600; index++) {
    people.push(
      await insertPerson(write, {
        company_id: company,
        personnel_number: null,
        first_name: 'P',
        last_name: String(index),
        email: null,
        department_id: null,
        role: 'employee',
        language: 'en',
        employment_start: null,
        employment_end: null,
        own_time_zone: null,
        tracking_start: '2020-01-01',
        record_salt: Buffer.from(write.randomBytes(16)).toString('hex'),
        proof_token: '',
        updated_at: at,
      }),
    );
    await announcePerson(write, { id: people.at(-1)!, companyId: company, type: 'user.created' });
  }
  await switchPeopleAccess(write, { writes: true, links: false, terminals: false });
  const { key } = await recordExtension(
    write,
    {
      name: 'Bench',
      mode: 'api',
      acting: 'everyone',
      companyId: company,
      scopes: ['read:time_entries', 'write:clock'],
    },
    randomBytes,
  );
  for (let index = 0; index < 2_000; index++) {
    const start = at - (30 + (index % 300)) * day;
    await addEntry(write, {
      company_id: company,
      person_id: people[index % 320]!,
      date: formatInstant(start).slice(0, 10),
      start_at: start,
      end_at: start + 8 * hour,
      breaks: JSON.stringify([[start + 4 * hour, start + 4 * hour + 1_800_000]]),
      status: 'recorded',
      source_kind: 'extension',
      source_id: 'ext_1',
      source_name: 'Bench',
      proof: null,
      comment: null,
      created_at: start,
      updated_at: start,
    });
  }
  // Addresses on loopback that get every event: HOOKS=port,port
  const sealingKeys = service.sealingKeys;
  for (const port of (process.env['HOOKS'] ?? '').split(',').filter((text) => text !== ''))
    await addExtension(
      write,
      { sealingKeys, randomBytes, allowPrivateTargets: true },
      {
        name: `Hook ${port}`,
        mode: 'webhooks',
        acting: 'everyone',
        companyId: company,
        scopes: ['read:clock_states', 'read:time_entries'],
        webhookUrl: `http://127.0.0.1:${port}/`,
      },
    );
  return { company, people, key };
});
const floor = await createFloor(db, seed.people);

const entries = () =>
  listEntries(db, { company: seed.company }, { from: '2025-12-01', to: '2026-11-30', after: undefined, limit: 101 });
const stock = await createStock('listTimeEntries', async () => ({ data: (await entries()).map(presentEntry) }));
const ceiling = createServer((message, response) => {
  const chunks: Buffer[] = [];
  message.on('data', (chunk: Buffer) => chunks.push(chunk));
  message.on('end', () => {
    const answer = (body: object) => {
      const text = JSON.stringify(body);
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text);
    };
    if (message.method === 'POST') {
      const { user_id: personId } = JSON.parse(Buffer.concat(chunks).toString()) as { user_id: number };
      void floor.stamp(personId, message.url!.endsWith('/in') ? 'in' : 'out').then(answer, (error) => {
        console.error(error);
        response.writeHead(500).end();
      });
    } else if (message.url === '/rows') void entries().then((data) => answer({ data }));
    else stock(message, response);
  });
});
ceiling.listen(0, '127.0.0.1', () => {
  const address = ceiling.address() as { port: number };
  console.log(JSON.stringify({ ...seed, port: Number(new URL(service.url).port), ceilingPort: address.port }));
});
// Deliveries wait while another holder works for the addresses.
process.on('message', ({ isHeld }: { readonly isHeld: boolean }) => {
  const [holder, until] = isHeld ? ["'bench'", String(at + 30 * day)] : ['NULL', 'NULL'];
  void db
    .write((tx) => tx.run(`UPDATE webhook_endpoints SET lease_holder = ${holder}, leased_until = ${until}`))
    .then(() => process.send!('held'));
});
process.on('SIGTERM', () => {
  ceiling.close();
  ceiling.closeAllConnections();
  void service.close().then(() => process.exit(0));
});

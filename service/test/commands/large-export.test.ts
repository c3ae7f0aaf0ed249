/** The export of a long audit log: read from the database as fast as the client reads it. */

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticatePerson } from '../../src/access/authenticate-person.js';
import { exportAuditLog } from '../../src/hr/audit-log-app.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { createWorld, monday, type World } from '../world.js';

const entries = 8_000;

describe('the export of a long audit log', () => {
  let world: World;
  let root: Browser;
  beforeEach(async () => {
    world = await createWorld('sqlite');
    root = await world.as(await addSuperAdmin(world));
    // Entries without a code, in the room of one transaction: the export does not check, and writing them one by one
    // takes long.
    await world.db.write((tx) =>
      tx.run(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :entries)
         INSERT INTO audit_entries (sequence, at, actor_kind, family, action, details, mac)
         SELECT (SELECT max(sequence) FROM audit_entries) + n, :at, 'system', 'installation', 'installation.filled', :details, :mac FROM numbers`,
        { entries, at: monday, details: JSON.stringify({ text: 'x'.repeat(500) }), mac: `sha256:${'0'.repeat(64)}` },
      ),
    );
  });
  afterEach(() => world.close());

  const ask = async () => {
    const request = get(
      `${world.url}/app/admin/audit/export?from=2026-11-01&to=2026-11-30&action=installation.filled`,
      {
        agent: false,
        headers: { cookie: [...root.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      },
    );
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    return response;
  };

  it('the export of a long audit log is complete for a client that pauses, and others are served', async () => {
    const response = await ask();
    response.pause();
    for (let turn = 0; turn < 20; turn++) expect((await world.call('GET', '/api/v1/status')).status).toBe(200);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const numbers = Buffer.concat(chunks)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { sequence: number }).sequence);
    expect(numbers).toEqual(Array.from({ length: entries }, (_, index) => numbers[0]! + index));
  });

  it('the export reads a thousand entries at a time, on demand', async () => {
    let rowCount = 0;
    const { store } = world.service;
    const db = Object.assign(Object.create(store) as typeof store, {
      all: async <Row extends object>(...args: Parameters<typeof store.all>) => {
        const rows = await store.all<Row>(...args);
        if (args[0].includes('audit_entries')) rowCount += rows.length;
        return rows;
      },
    });
    const caller = await authenticatePerson(world.db, root.cookies.get('session')!, world.now());
    const query = { from: '2026-11-01', to: '2026-11-30', action: 'installation.filled' };
    const request = { db, caller, query, at: world.now() } as unknown as Parameters<typeof exportAuditLog>[0];
    const answer = (await exportAuditLog(request)) as { readonly stream: AsyncIterable<string> };
    const pieces = answer.stream[Symbol.asyncIterator]();
    for (let count = 1; count <= entries / 1_000; count++) {
      await pieces.next();
      expect(rowCount).toBe(count * 1_000);
    }
  });
});

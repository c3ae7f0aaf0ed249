/** The demo's database stands the check that its own manual tells people to run. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startDemoService } from '../../demo/programs.js';
import { runVerify } from '../../src/commands/verify.js';

it('the audit log of a demo is signed from its first start on', async () => {
  const data = mkdtempSync(join(tmpdir(), 'demo-'));
  const service = await startDemoService(
    data,
    { service: 0, listen: 0, indexer: 0, ledger: 0, reader: 0, demo: 0 },
    undefined,
  );
  try {
    expect(readFileSync(join(data, 'data.key'), 'utf8')).toHaveLength(44);
    const { exitCode, text } = await runVerify(service.db, {
      head: undefined,
      heads: undefined,
      sign: service.store.sign,
    });
    expect([exitCode, text]).toEqual([0, expect.stringContaining('signed from entry ')]);
  } finally {
    await service.close();
  }
});

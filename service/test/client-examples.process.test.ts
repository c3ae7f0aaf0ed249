/** Samples of the guides that need no service; the others run against the demo in `guides.process.test.ts`. */
import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf, repository, sampleFolder } from '@clockproof/platform/testing/guide';
import { expect, it } from '@jest/globals';
import { signedHeaders } from '../src/extensions/webhooks/signature.js';

it('the TypeScript of all guides compiles in strict mode, as readers have it', async () => {
  const samples = sampleFolder();
  const guides = readdirSync(join(repository, 'docs/guides')).filter((name) => blocksOf(name, 'ts').length > 0);
  expect(guides.length).toBeGreaterThan(7);
  for (const guide of guides) {
    const blocks = blocksOf(guide, 'ts');
    // The blocks of this guide are parts of one program; others have one program a block.
    const programs = guide === 'build-a-terminal.md' ? [blocks.join('\n')] : blocks;
    for (const [index, program] of programs.entries()) samples.save(`${guide}-${index}.mts`, program);
  }
  // What the guide to generated clients lets readers generate; only the comments differ.
  const types = join(repository, 'service/src/generated/service-types.js');
  samples.save('clockproof.d.ts', `export type * from '${types}';`);
  samples.save('libraries.d.ts', readFileSync(join(repository, 'service/test/access/oauth-clients.d.ts'), 'utf8'));
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ES2023'], module: 'NodeNext', types: ['node'] },
    ...{ strict: true, noUnusedLocals: true, skipLibCheck: true, noEmit: true },
  };
  samples.save('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.mts', '*.d.ts'] }));
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const output = await promisify(execFile)(process.execPath, [compiler, '--project', samples.path]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  samples.remove();
  expect(output).toBe('');
});

it('the shell of the guide to events verifies what was stored', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  const body = Buffer.from('{"id":"evt_3f9a7c2100000000000001","note":"ü"}');
  const seconds = Math.floor(Date.now() / 1000);
  const verify = (key: string, at: number, signature: string) =>
    spawnSync(
      join(repository, 'docs/examples/events/verify.sh'),
      ['evt_3f9a7c2100000000000001', String(at), signature],
      {
        input: body,
        env: { PATH: process.env['PATH'] ?? '', WEBHOOK_SECRET: key },
      },
    ).status;
  const sign = (at: number, ...secrets: string[]) =>
    signedHeaders('evt_3f9a7c2100000000000001', at, body, secrets)['webhook-signature'];
  expect(verify(secret, seconds, sign(seconds, secret))).toBe(0);
  expect(verify(otherSecret, seconds, sign(seconds, secret, otherSecret))).toBe(0);
  expect(verify(otherSecret, seconds, sign(seconds, secret))).toBe(1);
  expect(verify(secret, seconds, sign(seconds - 1, secret))).toBe(1);
  expect(verify(secret, seconds - 400, sign(seconds - 400, secret))).toBe(1);
});

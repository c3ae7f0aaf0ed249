/** The Arazzo workflows of the contract, run by Redocly's runner as a reader would run them. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { addSuperAdmin, baseUrl, factorKeysOf, giveCredentials, signIn } from './browser.js';
import { addApp, consent, redirectUri, verifier } from './linking.js';
import { startReceiver } from './receivers.js';
import { createWorld, dataKey } from './world.js';

const contract = fileURLToPath(new URL('../../openapi/', import.meta.url));
const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));

it('the workflows of the contract run from the first step to the last', async () => {
  const world = await createWorld('sqlite', { env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
  const receiver = await startReceiver();
  try {
    const { ada } = world.people;
    await giveCredentials(world, [ada], await factorKeysOf(world, dataKey));
    const root = await signIn(world, await addSuperAdmin(world));
    const app = await addApp(world, 'Chat');
    const code = await consent(await signIn(world, ada), app, ['read:clock_states']);
    const inputs = {
      apiKey: world.planner.key,
      idempotencyKey: 'workflow-0001',
      today: '2026-11-23',
      basic: Buffer.from(`${app.clientId}:${app.key}`).toString('base64'),
      code,
      redirectUri,
      verifier,
      cookie: [...root.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      origin: baseUrl,
      name: 'Roster',
      address: `http://127.0.0.1:${receiver.port}/`,
    };
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [
        redocly,
        'respect',
        'workflows.arazzo.yaml',
        ...['--input', JSON.stringify(inputs)],
        ...['service', 'app'].flatMap((document) => ['--server', `${document}=${world.url}`]),
      ],
      { cwd: contract, env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' } },
    ).catch((failed: { readonly stdout: string; readonly stderr: string }) => failed);
    expect(stdout + stderr).toMatch(/Workflows: 4 passed, 4 total/);
    expect(receiver.received).toHaveLength(1);
  } finally {
    await receiver.close();
    await world.close();
  }
});

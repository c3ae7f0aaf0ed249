/** A process whose log nobody reads any more. The built one: what starts in production. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';

const moduleUrl = (name: string) => new URL(`../dist/src/${name}.js`, import.meta.url).href;
const program = `
  import { createLog } from '${moduleUrl('log')}';
  import { endOnSignal } from '${moduleUrl('end-on-signal')}';
  const log = createLog('info', 'test');
  const close = async () => { for (const line of ['one', 'two', 'three']) log.info(line); };
  endOnSignal({ close, unfinished: new Set(['database']) }, log);
  log.info('ready');
  setInterval(() => undefined, 1_000);
`;

describe('a stopping process', () => {
  const start = async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return child;
  };

  it('a stopping process ends although the reader of its log has gone', async () => {
    const child = await start();
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });

  it('a stopping process writes its last lines first', async () => {
    const child = await start();
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(text).toMatch(/"stopping".*"one".*"two".*"three".*"cut":\["database"\]/s);
  });
});

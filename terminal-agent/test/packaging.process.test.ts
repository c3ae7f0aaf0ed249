/** The Debian package: its program runs away from this repository, and dpkg installs and upgrades it. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemdUnit } from '../src/host.js';
import { loadOrCreateKey } from '../src/key.js';
import { storeRegistration } from '../src/registration.js';
import { startFakeService, terminalId } from './fake-service.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'));
  // As /usr is: other users run the program too.
  await chmod(folder, 0o755);
  const script = fileURLToPath(new URL('../packaging/build.mjs', import.meta.url));
  const { code, text } = await node([script, '--folder', join(folder, 'program')]);
  expect([code, text]).toEqual([0, expect.anything()]);
});
afterAll(() => rm(folder, { recursive: true }));

/** Node in an environment without this repository; exit code and all it printed. */
function node(args: readonly string[], env: Readonly<Record<string, string>> = {}, uid?: number) {
  return new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
    const options = {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, text: stdout + stderr }),
    );
  });
}

describe('the packed terminal agent', () => {
  it('runs by itself, and finds its page and the service', async () => {
    const service = await startFakeService();
    const env = {
      SERVICE_URL: service.address.href,
      STATE_DIR: join(folder, 'state'),
      READER: 'simulated',
      SIMULATOR_PORT: '0',
      CARDS_DIR: join(folder, 'cards'),
      SCREEN_PORT: '8085',
    };
    const { code, text } = await node([join(folder, 'program/main.mjs'), 'status'], env);
    await service.close();
    expect(text).toMatch(/not paired/);
    expect(text).toMatch(/ok +service/);
    expect(code).toBe(1);
    expect(existsSync(join(folder, 'program/web/index.html'))).toBe(true);
  });

  it('names its settings file and its service by itself', async () => {
    const { text } = await node([join(folder, 'program/main.mjs'), 'service-file']);
    expect(text).toContain(`ExecStart=${process.execPath} ${join(folder, 'program/main.mjs')} run`);
  });

  // A PC with 1 GB also runs a browser. The peak is that of the first request: the parser of HTTP is compiled then.
  (process.platform === 'linux' ? it : it.skip)('needs no more than 80 MB, with the screen open', async () => {
    const service = await startFakeService();
    const env = {
      ...environmentOf(systemdUnit({ node: 'node', script: 'main.mjs' })),
      SERVICE_URL: service.address.href,
      STATE_DIR: join(folder, 'paired'),
      READER: 'simulated',
      SIMULATOR_PORT: '0',
      CARDS_DIR: join(folder, 'cards'),
      SCREEN_PORT: '0',
    };
    const program = join(folder, 'program/main.mjs');
    const key = await loadOrCreateKey(env.STATE_DIR, (length) => Uint8Array.from(randomBytes(length)));
    await storeRegistration(env.STATE_DIR, { terminalId, serviceUrl: service.address.href });
    Object.assign(service.terminal, { publicKey: Buffer.from(key.publicKey), confirmed: true });
    const child = spawn(process.execPath, [program, 'run'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    while (!(output.includes('hold your badge here') && output.includes('Screen: ')) && child.exitCode === null)
      output += String(...(await once(child.stdout, 'data')));
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    child.kill('SIGTERM');
    await once(child, 'exit');
    await service.close();
    expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)![1])).toBeLessThan(80 * 1024);
  });
});

const isRoot = process.getuid?.() === 0;
/** `nobody`, in the place of the service's own user. */
const serviceUid = 65_534;

describe('files of the state folder', () => {
  let service: Awaited<ReturnType<typeof startFakeService>>;
  let state: string;
  beforeEach(async () => {
    service = await startFakeService();
    state = await mkdtemp(join(folder, 'state-'));
    if (isRoot) await chown(state, serviceUid, serviceUid);
  });
  afterEach(() => service.close());
  const settings = () => ({
    SERVICE_URL: service.address.href,
    STATE_DIR: state,
    READER: 'simulated',
    SIMULATOR_PORT: '0',
    CARDS_DIR: state,
  });
  const agent = (args: readonly string[], uid?: number, more: Readonly<Record<string, string>> = {}) =>
    node([join(folder, 'program/main.mjs'), ...args], { ...settings(), ...more }, uid);

  // Only root can become another user.
  if (isRoot) {
    it('belong to the user of the service, also after root has paired', async () => {
      const pair = [join(folder, 'program/main.mjs'), 'pair', '7K3M-Q9XT'];
      const child = spawn(process.execPath, pair, { env: settings(), stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      service.terminal.confirmed = true;
      expect(await once(child, 'exit')).toEqual([0, null]);
      for (const name of ['terminal.key', 'terminal.json']) {
        const { uid, mode } = await stat(join(state, name));
        expect([name, uid, mode & 0o777]).toEqual([name, serviceUid, 0o600]);
      }
      const { code, text } = await agent(['status'], serviceUid);
      expect(text).toMatch(/^ok +key +fingerprint/m);
      expect(text).toMatch(/^ok +terminal/m);
      expect(code).toBe(0);
    });
  }

  it('are named where the user of the service may not use them, to root too', async () => {
    await agent(['fingerprint']);
    const key = join(state, 'terminal.key');
    await chmod(key, 0);
    if (isRoot) await chown(key, 0, 0);
    const { code, text } = await agent(['doctor']);
    expect(text).toMatch(/^FAULT +files +the user \w+ may not use .*terminal\.key: as root, chown -R \w+ /m);
    expect(code).toBe(1);
  });

  it('end the service with 78 where it may not read one, so that it is not started for ever', async () => {
    await agent(['fingerprint']);
    const file = join(state, 'settings.conf');
    await writeFile(file, '');
    await chmod(file, 0);
    if (isRoot) await chown(file, 0, 0);
    const { code, text } = await agent(['run'], isRoot ? serviceUid : undefined, { CONFIG_FILE: file });
    expect(text).toMatch(/^configuration: the user \w+ may not use .*settings\.conf/m);
    expect(code).toBe(78);
  });
});

const dpkgThere = existsSync('/usr/bin/dpkg') && process.platform === 'linux';

/** With dpkg in a folder of its own; programs that would change this machine are stand-ins. */
(dpkgThere ? describe : describe.skip)('the Debian package', () => {
  let root: string;
  let commands: string;
  beforeAll(async () => {
    root = join(folder, 'root');
    commands = join(folder, 'commands');
    for (const path of ['updates', 'info', 'triggers'])
      await mkdir(join(root, 'var/lib/dpkg', path), { recursive: true });
    await writeFile(join(root, 'var/lib/dpkg/status'), '');
    await mkdir(join(root, 'etc'));
    await mkdir(commands);
    const standIn = async (name: string, line: string) => {
      await writeFile(join(commands, name), `#!/bin/sh\n${line}\n`);
      await chmod(join(commands, name), 0o755);
    };
    await standIn('getent', 'exit 2');
    await standIn('adduser', 'for last; do :; done; mkdir -p "$DPKG_ROOT/var/lib/$last"');
    for (const name of ['deluser', 'systemctl', 'udevadm', 'ldconfig', 'start-stop-daemon'])
      await standIn(name, 'exit 0');
  });

  const execute = (command: string, args: readonly string[]) =>
    new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
      const options = { env: { PATH: `${commands}:/usr/sbin:/usr/bin:/sbin:/bin`, DEBIAN_FRONTEND: 'noninteractive' } };
      const child = execFile(command, args, options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, text: stdout + stderr }),
      );
      // Nobody is there to answer.
      child.stdin?.end();
    });
  const dpkg = (...args: readonly string[]) =>
    execute('dpkg', [
      `--root=${root}`,
      `--log=${join(folder, 'dpkg.log')}`,
      '--force-script-chrootless,not-root,depends,bad-path,architecture',
      ...args,
    ]);
  /** The package of a version, with a line more in the sample of its settings. */
  const pack = async (version: string, line: string) => {
    const tree = join(folder, `tree-${version}`);
    const script = fileURLToPath(new URL('../packaging/build.mjs', import.meta.url));
    expect(await node([script, '--tree', tree])).toMatchObject({ code: 0 });
    // Node itself is no part of the question.
    await writeFile(join(tree, 'usr/lib/clockproof-terminal/node'), '');
    const sample = join(tree, 'usr/share/clockproof-terminal/clockproof-terminal.conf');
    await writeFile(sample, `${await readFile(sample, 'utf8')}${line}\n`);
    const control = join(tree, 'DEBIAN/control');
    await writeFile(control, (await readFile(control, 'utf8')).replace(/^Version: .*$/m, `Version: ${version}`));
    const deb = join(folder, `${version}.deb`);
    const build = await execute('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, deb]);
    expect(build).toMatchObject({ code: 0 });
    return deb;
  };
  const settings = () => join(root, 'etc/clockproof-terminal.conf');

  it('is upgraded without a question, and leaves the settings alone until it is purged', async () => {
    expect(await dpkg('--install', await pack('1.2.0', '#FIRST=1'))).toMatchObject({ code: 0 });
    expect(await readFile(settings(), 'utf8')).toMatch(/^SCREEN_PORT=8085$[\s\S]*^#FIRST=1$/m);
    const edit = 'SERVICE_URL=https://time.example.com\nSCREEN_PORT=8085\n';
    await writeFile(settings(), edit);

    const upgrade = await dpkg('--install', await pack('1.3.0', '#SECOND=1'));
    expect([upgrade.code, upgrade.text]).toEqual([0, expect.anything()]);
    expect((await dpkg('--status', 'clockproof-terminal')).text).toMatch(
      /Status: install ok installed[\s\S]*Version: 1\.3\.0/,
    );
    expect(await readFile(settings(), 'utf8')).toBe(edit);
    expect((await stat(join(root, 'var/lib/clockproof-terminal'))).mode & 0o777).toBe(0o700);

    await writeFile(join(root, 'var/lib/clockproof-terminal/terminal.key'), 'key');
    expect(await dpkg('--remove', 'clockproof-terminal')).toMatchObject({ code: 0 });
    expect([existsSync(settings()), existsSync(join(root, 'var/lib/clockproof-terminal/terminal.key'))]).toEqual([
      true,
      true,
    ]);
    expect(await dpkg('--purge', 'clockproof-terminal')).toMatchObject({ code: 0 });
    expect([existsSync(settings()), existsSync(join(root, 'var/lib/clockproof-terminal'))]).toEqual([false, false]);
  });
});

/** The environment that systemd would set for the program. */
function environmentOf(unit: string): Record<string, string> {
  const words = /^Environment=(.*)$/m.exec(unit)![1]!.split(' ');
  return Object.fromEntries(words.map((word) => word.split('=') as [string, string]));
}

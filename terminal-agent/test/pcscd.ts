/**
 * A pcscd of one's own with one virtual reader. Its socket has a fixed path, so it lives in a mount namespace where
 * /run/pcscd is its own; a daemon of the machine is left alone. Needs root, util-linux (unshare, nsenter), pcscd and
 * vsmartcard-vpcd.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Paths of vpcd's driver on Debian, and then on others. */
const drivers = ['/usr/lib/pcsc/drivers/serial/libifdvpcd.so', '/usr/lib64/pcsc/drivers/serial/libifdvpcd.so'];

export interface Pcscd {
  /** For `PCSCLITE_CSOCK_NAME` of clients. */
  readonly socket: string;
  /** The port for cards. */
  readonly port: number;
  start(): Promise<void>;
  /** SIGTERM, or SIGKILL as in a crash. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  close(): Promise<void>;
}

/** Missing requirements on this machine; empty if the tests with pcscd can run. */
export function missingForPcscd(): readonly string[] {
  const commands = ['pcscd', 'unshare', 'nsenter'].filter(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  );
  const driver = findDriver() === undefined ? ['the driver of vsmartcard-vpcd'] : [];
  const root = process.getuid?.() === 0 ? [] : ['root'];
  return [...commands, ...driver, ...root];
}

function findDriver(): string | undefined {
  return drivers.find((path) => {
    try {
      return readFileSync(path).length > 0;
    } catch {
      return false;
    }
  });
}

export async function preparePcscd(): Promise<Pcscd> {
  const folder = mkdtempSync(join(tmpdir(), 'pcscd-'));
  const port = await freePort();
  const readers = join(folder, 'readers');
  mkdirSync(readers);
  const channel = `0x${port.toString(16)}`;
  writeFileSync(
    join(readers, 'vpcd'),
    [
      'FRIENDLYNAME "Virtual door reader"',
      `DEVICENAME /dev/null:${channel}`,
      `LIBPATH ${findDriver() ?? ''}`,
      `CHANNELID ${channel}`,
      '',
    ].join('\n'),
  );

  // Holds the namespace open while pcscd comes and goes.
  const holder = spawn(
    'unshare',
    ['-m', 'sh', '-c', 'mkdir -p /run/pcscd && mount -t tmpfs tmpfs /run/pcscd && echo ready && exec sleep infinity'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once('data', () => resolve());
    holder.once('exit', () => reject(new Error('no mount namespace for pcscd')));
  });
  const socket = `/proc/${holder.pid}/root/run/pcscd/pcscd.comm`;
  let daemon: ChildProcess | undefined;

  const pcscd: Pcscd = {
    socket,
    port,
    async start() {
      // A daemon that was killed leaves its files behind, and the next one takes them for a sign of life.
      for (const name of readdirSync(`/proc/${holder.pid}/root/run/pcscd`))
        rmSync(`/proc/${holder.pid}/root/run/pcscd/${name}`, { force: true });
      const daemonProcess = spawn('nsenter', ['-t', String(holder.pid), '-m', 'pcscd', '--foreground', '-c', readers], {
        stdio: 'ignore',
      });
      daemon = daemonProcess;
      while (!(await answers({ path: socket })) || !(await answers({ port, host: '127.0.0.1' }))) {
        if (daemonProcess.exitCode !== null) throw new Error(`pcscd ended with ${daemonProcess.exitCode}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop(signal = 'SIGTERM') {
      if (daemon === undefined) return;
      const exit = new Promise((resolve) => daemon!.once('exit', resolve));
      daemon.kill(signal);
      await exit;
      daemon = undefined;
    },
    async close() {
      await pcscd.stop();
      holder.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    },
  };
  return pcscd;
}

function answers(
  address: { readonly path: string } | { readonly port: number; readonly host: string },
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

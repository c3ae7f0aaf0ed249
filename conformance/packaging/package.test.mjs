// The package runs in a folder that has nothing else, and reads nothing of this repository.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSmallService, smallAdapter } from '../dist/test/small-service.js';

const conformance = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'clockproof-conformance-'));
const { version } = JSON.parse(readFileSync(join(conformance, 'package.json'), 'utf8'));
const permission = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

/** Runs the installed kit; it may read the folder alone. @returns the exit code, and what it said */
async function kit(...cliArguments) {
  const readable = `${folder}/*`;
  const net = process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : [];
  const rights = [permission, `--allow-fs-read=${readable}`, `--allow-fs-write=${readable}`, ...net];
  const program = join(folder, 'node_modules/clockproof-conformance/dist/cli.js');
  const child = spawn(process.execPath, [...rights, program, ...cliArguments], { cwd: folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, said: output };
}

describe('the package', () => {
  let service;
  before(async () => {
    const npm = (...npmArguments) => execFileSync('npm', [...npmArguments, '--loglevel=error'], { cwd: folder });
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: conformance });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    npm(
      'install',
      '--prefer-offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `./clockproof-conformance-${version}.tgz`,
    );
    service = await openSmallService();
  });
  after(async () => {
    await service?.close();
    rmSync(folder, { recursive: true });
  });

  it('leaves nothing behind in the repository', () => {
    assert.deepEqual(
      readdirSync(conformance).filter((name) => name === 'LICENSE' || name.endsWith('.tgz')),
      [],
    );
  });

  it('has the licence and neither tests nor violations', () => {
    const packageFolder = join(folder, 'node_modules/clockproof-conformance');
    assert.ok(readFileSync(join(packageFolder, 'LICENSE'), 'utf8').includes('Apache License'));
    assert.deepEqual(
      readdirSync(join(packageFolder, 'dist')).filter((name) => ['test', 'violations', 'packaging'].includes(name)),
      [],
    );
  });

  it('names every requirement', async () => {
    const { code, said } = await kit('--list');
    assert.equal(code, 0, said);
    for (const id of ['CON-001', 'CLK-001', 'OAU-001', 'TRM-018', 'IDX-020']) assert.ok(said.includes(id), id);
  });

  it('judges a service through the adapter that its target names', async () => {
    copyFileSync(smallAdapter, join(folder, 'adapter.mjs'));
    const target = { ...service.target, adapter: './adapter.mjs' };
    writeFileSync(join(folder, 'target.json'), JSON.stringify(target));
    const only = ['CLK-002', 'CLK-004', 'CLK-021', 'TRM-018'].flatMap((id) => ['--only', id]);
    const { code, said } = await kit('--target', 'target.json', '--report', 'report', ...only);
    assert.equal(code, 0, said);
    assert.match(said, /2 passed, 0 failed, 0 inconclusive, 2 skipped of 4 requirements/);
    const report = JSON.parse(readFileSync(join(folder, 'report/conformance.json'), 'utf8'));
    assert.deepEqual([report.kit, report.adapter], [version, 'small']);
  });
});

/**
 * Packs service and indexer for a server: compiled, with production dependencies, pages and documentation. The archive
 * needs Node 20.19 or later on Linux x64, and neither a compiler, npm nor the network.
 *
 *   node service/packaging/release.mjs                dist/clockproof-<version>-linux-x64.tar.gz
 *   node service/packaging/release.mjs --folder F     only the files
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const parts = ['platform', 'service', 'indexer'];
/** What `make build` made, and what is used as it is. */
const needed = [
  ...parts.map((part) => `${part}/dist/src`),
  'service/web/dist',
  'dist/docs',
  'service/bin',
  'indexer/bin',
  'indexer/web',
  'docs',
  'service/packaging/systemd',
  'service/packaging/proxy',
  'service/packaging/monitoring',
  'service/packaging/container',
  'service/packaging/standby',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
];

/** @param {string} folder is emptied first */
function fill(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const path of needed) {
    if (!existsSync(join(root, path))) throw new Error(`${path} is missing: make build`);
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (source) => !/\.(d\.ts|map|test\.js)$|\.tsbuildinfo$|\/\.vitepress$/.test(source),
    });
  }
  // The versions of package-lock.json, for these three parts only.
  for (const path of ['package.json', 'package-lock.json', ...parts.map((part) => `${part}/package.json`)])
    cpSync(join(root, path), join(folder, path));
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { devDependencies: _left, allowScripts: _scripts, ...kept } = manifest;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...kept, workspaces: parts }, null, 2));
  for (const part of parts) {
    const file = join(folder, part, 'package.json');
    const { devDependencies: _, ...own } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(own, null, 2));
  }
  const npm = (...words) => execFileSync('npm', [...words, '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  npm('install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund');
  rmSync(join(folder, 'node_modules/.package-lock.json'), { force: true });
  // Binaries for other systems.
  const prebuilds = join(folder, 'node_modules/@appthreat/sqlite3/prebuilds');
  for (const name of readdirSync(prebuilds))
    if (name !== 'linux-x64') rmSync(join(prebuilds, name), { recursive: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const [name, part] of [
    ['clockproof', 'service'],
    ['clockproof-indexer', 'indexer'],
  ]) {
    // With an arena for each thread of the database driver, glibc keeps tens of megabytes more, and that grows with the load.
    const script = `#!/bin/sh\nexport MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX:-1}"\nexec node "$(dirname "$(readlink -f "$0")")/../${part}/bin/${name}.js" "$@"\n`;
    writeFileSync(join(folder, 'bin', name), script);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  writeFileSync(join(folder, 'VERSION'), `${version}\n`);
}

const at = process.argv.indexOf('--folder');
if (at > 0) fill(process.argv[at + 1]);
else {
  const name = `clockproof-${version}`;
  const staging = join(root, 'dist/release');
  fill(join(staging, name));
  const archive = join(root, `dist/${name}-linux-x64.tar.gz`);
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  execFileSync('tar', ['-C', staging, ...same, '-czf', archive, name], { stdio: 'inherit' });
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(`${archive}.sha256`, `${sum}  ${name}-linux-x64.tar.gz\n`);
  console.log(archive);
}

/**
 * Packs service, anchor service and indexer for servers: compiled, with production dependencies, pages and documentation. An archive needs
 * Node 20.19 or later and glibc on Linux, and neither a compiler, npm nor the network. The same commit, Node, npm, tar and
 * gzip make the same bytes.
 *
 *   dist/release/clockproof-<version>-linux-<x64|arm64>.tar.gz    with NOTICE
 *   dist/release/clockproof-<version>-linux-<x64|arm64>.cdx.json  its parts list
 *   dist/release/SHA256SUMS, SHA256SUMS.sig                       the second only with RELEASE_KEY, the file of an SSH key
 *
 * SOURCE_DATE_EPOCH replaces the time of the commit.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pack, seal } from './archive.mjs';
import { noticeOf, readPackage } from './notice.mjs';
import { partsListOf } from './parts-list.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const parts = ['platform', 'service', 'indexer'];
/** What `make build` made, and what is used as it is. */
const inputPaths = [
  ...parts.map((part) => `${part}/dist/src`),
  'service/dist/anchor',
  'service/web/dist',
  'dist/docs',
  'service/bin',
  'indexer/bin',
  'indexer/web',
  'indexer/dist/verifier',
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

/** The packages in the pages and the documentation. Swagger UI is copied into the latter as it is. */
const readPagePackages = () =>
  ['web', 'docs']
    .flatMap((name) => JSON.parse(readFileSync(join(root, `dist/bundled-packages/${name}.json`), 'utf8')))
    .concat('node_modules/swagger-ui-dist')
    .map((path) => readPackage(join(root, path)));

/** The number of a processor in the header of a binary. */
const machines = { x64: 0x3e, arm64: 0xb7 };

/**
 * @param {string} folder
 * @param {keyof typeof machines} cpu
 */
function fillFolder(folder, cpu) {
  mkdirSync(folder, { recursive: true });
  for (const path of inputPaths) {
    if (!existsSync(join(root, path))) throw new Error(`${path} is missing: make build`);
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (source) => !/\.(d\.ts|map|test\.js)$|\.tsbuildinfo$|\/\.vitepress$/.test(source),
    });
  }
  for (const part of ['.', ...parts]) {
    const manifest = JSON.parse(readFileSync(join(root, part, 'package.json'), 'utf8'));
    const { devDependencies: _tools, allowScripts: _scripts, workspaces, ...runtimeManifest } = manifest;
    const packageJson = workspaces === undefined ? runtimeManifest : { ...runtimeManifest, workspaces: parts };
    writeFileSync(join(folder, part, 'package.json'), JSON.stringify(packageJson, null, 2));
  }
  cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  const target = ['--os=linux', `--cpu=${cpu}`, '--libc=glibc'];
  const quietFlags = ['--no-audit', '--no-fund', '--loglevel=error'];
  // No script has to run: binaries come with the packages, those of SQLite for every system in one.
  execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', ...target, ...quietFlags], {
    cwd: folder,
    stdio: 'inherit',
  });
  const prebuilds = join(folder, 'node_modules/@appthreat/sqlite3/prebuilds');
  for (const system of readdirSync(prebuilds))
    if (system !== `linux-${cpu}`) rmSync(join(prebuilds, system), { recursive: true });
  rmSync(join(prebuilds, `linux-${cpu}/@appthreat+sqlite3.musl.node`));
  for (const path of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.node')))
    if (readFileSync(join(folder, path)).readUInt16LE(18) !== machines[cpu])
      throw new Error(`${path} is not for ${cpu}`);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const [name, part] of [
    ['clockproof', 'service'],
    ['clockproof-anchor', 'service'],
    ['clockproof-indexer', 'indexer'],
  ]) {
    // With an arena for each thread of the database driver, glibc keeps tens of megabytes more, and that grows with the load.
    const script = `#!/bin/sh\nexport MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX:-1}"\nexec node "$(dirname "$(readlink -f "$0")")/../${part}/bin/${name}.js" "$@"\n`;
    writeFileSync(join(folder, 'bin', name), script);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  writeFileSync(join(folder, 'VERSION'), `${version}\n`);
}

/** Adds NOTICE, and takes away what npm noted about the installation. */
function describeParts(folder, seconds) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const installedPaths = Object.keys(packages).filter((path) => path.includes('node_modules/') && !packages[path].link);
  const pagePackages = readPagePackages();
  const notice = noticeOf([...installedPaths.map((path) => readPackage(join(folder, path))), ...pagePackages]);
  writeFileSync(join(folder, 'NOTICE'), notice);
  const partsList = partsListOf(folder, pagePackages, seconds);
  for (const path of ['node_modules/.package-lock.json', 'package-lock.json']) rmSync(join(folder, path));
  return partsList;
}

const commitTime = () => execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? commitTime());
const work = join(root, 'dist/release-work');
const files = join(work, 'files');
const release = join(root, 'dist/release');
for (const folder of [work, release]) rmSync(folder, { recursive: true, force: true });
mkdirSync(files, { recursive: true });
for (const cpu of Object.keys(machines)) {
  const name = `clockproof-${version}`;
  const folder = join(work, cpu, name);
  fillFolder(folder, cpu);
  writeFileSync(join(files, `${name}-linux-${cpu}.cdx.json`), describeParts(folder, seconds));
  pack(folder, join(files, `${name}-linux-${cpu}.tar.gz`), seconds);
}
seal(files, process.env.RELEASE_KEY);
// The folder has its name only once it is complete.
renameSync(files, release);
rmSync(work, { recursive: true });
console.log(readFileSync(join(release, 'SHA256SUMS'), 'utf8').trimEnd());
if (!process.env.RELEASE_KEY)
  console.error(
    '\nNOT SIGNED: nobody can check where these files come from. Set RELEASE_KEY to the file of an SSH key.\n',
  );

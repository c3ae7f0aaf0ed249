/**
 * Packs the terminal agent for an entrance PC: one bundle, the page of the door, the reader libraries and Node, as a
 * Debian package that needs neither this repository nor a compiler.
 *
 *   node terminal-agent/packaging/build.mjs            dist/clockproof-terminal_<version>_<architecture>.deb
 *   node terminal-agent/packaging/build.mjs --tree F   the package's files with DEBIAN/, before they are packed
 *   node terminal-agent/packaging/build.mjs --folder F only the program, for a look or another system
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const agent = join(here, '..');
const require = createRequire(import.meta.url);
const { version } = JSON.parse(readFileSync(join(agent, 'package.json'), 'utf8'));
const architecture = { x64: 'amd64', arm64: 'arm64', arm: 'armhf' }[process.arch];
const home = 'usr/lib/clockproof-terminal';

/**
 * Everything the program needs, below `folder`.
 *
 * @param {string} folder
 */
export async function bundle(folder) {
  await build({
    entryPoints: [join(agent, 'src/main.ts')],
    outfile: join(folder, 'main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'linked',
    // A third less to read and to keep in memory; names stay for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
    // Native modules stay beside the bundle; they are optional.
    external: ['smartcard', 'nfc-pcsc'],
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  });
  const page = join(agent, 'web/dist');
  if (!existsSync(join(page, 'index.html'))) throw new Error('the page of the door is not built: make build');
  cpSync(page, join(folder, 'web'), { recursive: true });
  for (const name of ['smartcard', 'nfc-pcsc']) copyModule(name, agent, join(folder, 'node_modules'));
}

/** A module with what it needs at run time: scripts and compiled parts, without sources. */
function copyModule(name, from, into) {
  const manifest = findManifest(name, from);
  if (manifest === undefined) {
    console.warn(`left out: ${name} is not installed here`);
    return;
  }
  const source = dirname(manifest);
  const target = join(into, name);
  if (existsSync(target)) return;
  cpSync(source, target, {
    recursive: true,
    dereference: true,
    filter: (path) => {
      const inside = relative(source, path);
      const folders = /^(node_modules|src|test|tests|examples|docs)(\/|$)|(^|\/)(obj\.target|\.deps)(\/|$)/;
      return (
        !folders.test(inside) && !/(^|\/)(\..*|(binding\.)?Makefile)$|\.(cc|cpp|h|o|mk|gyp|md|ts|map)$/.test(inside)
      );
    },
  });
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  // Headers for compiling are of no use any more.
  for (const dependency of Object.keys(dependencies))
    if (!['node-addon-api', 'nan'].includes(dependency)) copyModule(dependency, source, into);
}

function findManifest(name, from) {
  for (const folder of require.resolve.paths(name) ?? []) {
    const manifest = join(folder, name, 'package.json');
    if (existsSync(manifest)) return manifest;
  }
  const nestedManifest = join(from, 'node_modules', name, 'package.json');
  return existsSync(nestedManifest) ? nestedManifest : undefined;
}

/** Everything that is packed, below `root`. No file is a conffile: settings are edited, and an upgrade must not ask. */
async function tree(root) {
  if (architecture === undefined) throw new Error(`there is no Debian name for ${process.arch}`);
  rmSync(root, { recursive: true, force: true });
  const writeEntry = (path, content, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  const file = (name) => readFileSync(join(here, 'files', name), 'utf8');

  await bundle(join(root, home));
  // Debian's own Node is too old in Debian 12: the program brings the one it was tested with.
  mkdirSync(join(root, home), { recursive: true });
  cpSync(process.execPath, join(root, home, 'node'), { dereference: true });
  chmodSync(join(root, home, 'node'), 0o755);
  const program = { node: `/${home}/node`, script: `/${home}/main.mjs` };
  writeEntry('usr/bin/clockproof-terminal', `#!/bin/sh\nexec ${program.node} ${program.script} "$@"\n`, 0o755);
  const unit = execFileSync(program.node.replace(/^\//, `${root}/`), [join(root, home, 'main.mjs'), 'service-file']);
  // The unit is the one the program prints, without the lines for people.
  const text = unit
    .toString()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .trim()
    .concat('\n')
    .replace(/^ExecStart=.*$/m, `ExecStart=${program.node} ${program.script} run`);
  writeEntry('lib/systemd/system/clockproof-terminal.service', text);
  writeEntry('lib/systemd/system/clockproof-kiosk.service', file('clockproof-kiosk.service'));
  writeEntry('lib/udev/rules.d/60-clockproof-terminal.rules', file('60-clockproof-terminal.rules'));
  writeEntry('usr/share/polkit-1/rules.d/50-clockproof-terminal.rules', file('50-clockproof-terminal.rules'));
  writeEntry('lib/modprobe.d/clockproof-terminal.conf', file('modprobe.conf'));
  writeEntry('usr/share/clockproof-terminal/clockproof-terminal.conf', file('clockproof-terminal.conf'));
  writeEntry(
    'usr/share/doc/clockproof-terminal/README.md',
    readFileSync(join(agent, '../docs/guides/entrance-pc.md'), 'utf8'),
  );
  // The parts of the page keep their own terms; those of the program are in main.mjs.LEGAL.txt.
  const terms = [
    join(agent, '../LICENSE'),
    join(dirname(findManifest('preact', agent)), 'LICENSE'),
    join(dirname(findManifest('inter-ui', agent)), 'LICENSE.txt'),
  ];
  const copyright = terms.map((path) => readFileSync(path, 'utf8')).join('\n\n');
  writeEntry('usr/share/doc/clockproof-terminal/copyright', copyright);
  writeEntry('DEBIAN/control', file('control').replace('@VERSION@', version).replace('@ARCHITECTURE@', architecture));
  for (const script of ['postinst', 'prerm', 'postrm']) writeEntry(`DEBIAN/${script}`, file(script), 0o755);
}

async function debian() {
  const root = join(agent, 'dist/deb');
  await tree(root);
  const deb = join(agent, `dist/clockproof-terminal_${version}_${architecture}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z3', '--build', root, deb], { stdio: 'inherit' });
  return deb;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, folder] = process.argv.slice(2);
  if (option === '--folder') await bundle(folder);
  else if (option === '--tree') await tree(folder);
  else console.log(await debian());
}

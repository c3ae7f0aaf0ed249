// What a release promises: the same bytes everywhere, every licence, and two commands that check it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pack, seal } from './archive.mjs';
import { copyrightHolders, noticeOf, readPackage } from './notice.mjs';
import { partsListOf } from './parts-list.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'clockproof-release-'));
after(() => rmSync(home, { recursive: true }));
let folders = 0;
const newFolder = (...names) => {
  const folder = join(home, String(folders++), ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
};

describe('an archive', () => {
  /** The same files, written in this order with these modes and times. */
  const write = (names, mode, time) => {
    const folder = newFolder('product');
    for (const name of names) {
      writeFileSync(join(folder, name), `text of ${name}`);
      chmodSync(join(folder, name), name === 'program' ? mode | 0o100 : mode);
      utimesSync(join(folder, name), time, time);
    }
    chmodSync(folder, mode | 0o100);
    return folder;
  };
  const archiveOf = (folder) => {
    const file = join(newFolder(), 'product.tar.gz');
    pack(folder, file, 1_700_000_000);
    return file;
  };

  it('has the same bytes from files in another folder, order, mode and time', () => {
    const firstArchive = archiveOf(write(['a', 'b', 'program'], 0o600, 1_000));
    const secondArchive = archiveOf(write(['program', 'b', 'a'], 0o664, 2_000_000_000));
    assert.ok(readFileSync(firstArchive).equals(readFileSync(secondArchive)));
    const list = execFileSync('tar', ['--utc', '--full-time', '-tvzf', firstArchive], { encoding: 'utf8' });
    const lines = list.split('\n').map((line) => line.replace(/ +/g, ' '));
    assert.deepEqual(lines, [
      'drwxr-xr-x 0/0 0 2023-11-14 22:13:20 product/',
      '-rw-r--r-- 0/0 9 2023-11-14 22:13:20 product/a',
      '-rw-r--r-- 0/0 9 2023-11-14 22:13:20 product/b',
      '-rwxr-xr-x 0/0 15 2023-11-14 22:13:20 product/program',
      '',
    ]);
  });
});

describe('NOTICE', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const shippedPaths = new Set();
  /** Adds what a package needs, found where Node would find it. */
  const follow = (from) => {
    const { dependencies, optionalDependencies, peerDependencies } = packages[from];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const folders = from.split('/').map((_, index, all) => all.slice(0, all.length - index).join('/'));
      const places = [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`];
      const place = places.find((path) => path in packages);
      if (place === undefined || packages[place].link || shippedPaths.has(place) || !existsSync(join(root, place)))
        continue;
      shippedPaths.add(place);
      follow(place);
    }
  };
  for (const part of ['platform', 'service', 'indexer']) follow(part);
  for (const name of ['web', 'docs'])
    for (const path of JSON.parse(readFileSync(join(root, `dist/bundled-packages/${name}.json`), 'utf8')))
      shippedPaths.add(path);

  it('has the licence text of every package that is shipped, and of the fonts', () => {
    const parts = [...shippedPaths].map((path) => readPackage(join(root, path)));
    assert.ok(parts.length > 200, String(parts.length));
    const notice = noticeOf(parts);
    assert.deepEqual(
      parts.filter(({ name, version }) => !notice.includes(`\n${name} ${version}, `)),
      [],
    );
    assert.match(notice, /Fonts are \(c\) Bitstream/);
    assert.match(notice, /SIL OPEN FONT LICENSE/i);
  });

  it('names no copyright holder of a package that is not used', () => {
    const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
    assert.deepEqual(
      Object.keys(copyrightHolders).filter((name) => !names.has(name)),
      [],
    );
  });

  it('is refused for a package with an unknown licence, or without a text', () => {
    const folder = newFolder();
    const describePackage = (license) =>
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'some-part', version: '1.0.0', license }));
    describePackage('MIT');
    assert.throws(() => readPackage(folder), /some-part 1\.0\.0 has no licence text/);
    writeFileSync(join(folder, 'LICENSE.md'), 'Copyright (c) Some One');
    assert.deepEqual(readPackage(folder).texts, ['Copyright (c) Some One']);
    for (const license of ['GPL-3.0', undefined]) {
      describePackage(license);
      assert.throws(() => readPackage(folder), /some-part 1\.0\.0 has an unknown licence/);
    }
  });
});

describe('the parts list', () => {
  it('is the same in two folders, and has what is in the pages', () => {
    const listIn = (folder) => {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'product', version: '1.0.0' }));
      return partsListOf(folder, [{ name: '@some/part', version: '2.0.0', licence: 'MIT' }], 1_700_000_000);
    };
    const list = listIn(newFolder('product'));
    assert.equal(listIn(newFolder('product')), list);
    const { serialNumber, metadata, components } = JSON.parse(list);
    assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(metadata.timestamp, '2023-11-14T22:13:20.000Z');
    assert.equal(components.at(-1).purl, 'pkg:npm/%40some/part@2.0.0');
  });
});

describe('the commands of the install guide', () => {
  const [, commands] = /```\n(ssh-keygen -Y verify[^`]*)```/.exec(
    readFileSync(join(root, 'docs/operations/install.md'), 'utf8'),
  );
  const release = () => {
    const folder = newFolder();
    const key = join(newFolder(), 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    writeFileSync(join(folder, 'clockproof.tar.gz'), 'program');
    writeFileSync(join(folder, 'other.tar.gz'), 'for another system');
    seal(folder, key);
    const line = `clockproof namespaces="clockproof-release" ${readFileSync(`${key}.pub`, 'utf8')}`;
    writeFileSync(join(folder, 'allowed_signers'), line);
    rmSync(join(folder, 'other.tar.gz'));
    return folder;
  };
  const check = (folder) => spawnSync('sh', ['-ec', commands], { cwd: folder, encoding: 'utf8' });

  it('accept a signed release', () => {
    const { status, stdout, stderr } = check(release());
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /^Good "clockproof-release" signature for clockproof with ED25519 key .*\nclockproof.tar.gz: OK$/m,
    );
  });

  for (const file of ['clockproof.tar.gz', 'SHA256SUMS'])
    it(`refuse a release with a changed ${file}`, () => {
      const folder = release();
      appendFileSync(join(folder, file), '\n');
      assert.notEqual(check(folder).status, 0);
    });

  it('refuse a signature by another key', () => {
    const folder = release();
    writeFileSync(join(folder, 'allowed_signers'), readFileSync(join(release(), 'allowed_signers')));
    assert.notEqual(check(folder).status, 0);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateRawSync } from 'node:zlib';
import { zip } from './zip.mjs';

test('an archive names each file in its directory, and holds it there', () => {
  const files = [
    ['folder/ä.txt', 'Text 🕗\n'.repeat(50)],
    ['empty.txt', ''],
  ];
  const archive = zip(files);
  const end = archive.length - 22;
  assert.equal(archive.readUInt32LE(end), 0x06054b50);
  assert.equal(archive.readUInt16LE(end + 10), 2);
  let entry = archive.readUInt32LE(end + 16);
  assert.equal(entry + archive.readUInt32LE(end + 12), end);
  for (const [path, text] of files) {
    assert.equal(archive.readUInt32LE(entry), 0x02014b50);
    const nameLength = archive.readUInt16LE(entry + 28);
    assert.equal(archive.toString('utf8', entry + 46, entry + 46 + nameLength), path);
    const local = archive.readUInt32LE(entry + 42);
    assert.equal(archive.readUInt32LE(local), 0x04034b50);
    const from = local + 30 + archive.readUInt16LE(local + 26);
    const content = inflateRawSync(archive.subarray(from, from + archive.readUInt32LE(entry + 20)));
    assert.equal(content.toString(), text);
    assert.equal(archive.readUInt32LE(entry + 16), crc32(content));
    entry += 46 + nameLength;
  }
});

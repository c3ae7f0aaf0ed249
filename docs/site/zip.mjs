// A ZIP archive, for the download of a folder of small text files: deflated, names in UTF-8, without dates,
// so that the same files make the same bytes.
import { crc32, deflateRawSync } from 'node:zlib';

const utf8 = 0x0800;
const deflated = 8;
/** The first day that the format knows: 1980-01-01. */
const date = 0x21;

/**
 * @param {Iterable<[string, string]>} files path and text of each
 * @returns {Buffer}
 */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [path, text] of files) {
    const name = Buffer.from(path);
    const content = Buffer.from(text);
    const packed = deflateRawSync(content, { level: 9 });
    // What the file and its entry in the directory have in common.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(utf8, 2);
    facts.writeUInt16LE(deflated, 4);
    facts.writeUInt16LE(date, 8);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), facts, name, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, name);
    offset += 30 + name.length + packed.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length / 4, 8);
  end.writeUInt16LE(parts.length / 4, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, index, end]);
}

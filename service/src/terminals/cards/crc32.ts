/**
 * The CRC of DESFire cryptograms: polynomial EDB88320, start FFFFFFFF, without the final inversion of Ethernet
 * ("JAMCRC").
 *
 * @returns 4 bytes, least significant first, as transmitted.
 */
export function crc32(bytes: Uint8Array): Uint8Array {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  const result = Buffer.alloc(4);
  result.writeUInt32LE(crc >>> 0);
  return result;
}

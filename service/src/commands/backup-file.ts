/**
 * The file of a backup: one line that says how the rest is kept, then the lines of the backup, compressed and, with a
 * passphrase, encrypted.
 *
 * Encryption: a key by scrypt (RFC 7914) from passphrase and salt, then AES-256-GCM over chunks of 64 KiB. The nonce of
 * a chunk is its number and whether it is the last one, so that chunks cannot be moved, left out or cut off; the first
 * line is associated data of each. Salt and key belong to one file, so no nonce is used twice.
 */
import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';

/** The file or its passphrase is at fault, or the database it should go into. The message is for the operator. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}

const magic = 'clockproof-backup 1';
const chunkBytes = 65_536;
const tagBytes = 16;
/** N of scrypt, as OWASP recommends. The file states it. */
const recommendedCost = 2 ** 17;

/**
 * Writes to `FILE.partial`, which gets its name when everything is on disk: a file that has its name is complete.
 * @param passphrase absent: not encrypted
 * @throws {Error} `EEXIST`: such a file is there already
 */
export async function writeBackupFile(
  file: string,
  lines: AsyncIterable<string>,
  {
    passphrase,
    randomBytes,
    cost = recommendedCost,
  }: { readonly passphrase: string | undefined; readonly randomBytes: RandomBytes; readonly cost?: number },
): Promise<void> {
  const partialFile = `${file}.partial`;
  try {
    const salt = Buffer.from(randomBytes(16)).toString('hex');
    const first = passphrase === undefined ? `${magic} plain` : `${magic} scrypt ${cost} ${salt}`;
    const key = passphrase === undefined ? undefined : await deriveKey(passphrase, salt, cost);
    const blocks = Readable.from(blocksOf(lines));
    const gzip = createGzip();
    // pipe() does not hand errors on.
    blocks.on('error', (error: Error) => gzip.destroy(error));
    blocks.pipe(gzip);
    const source = async function* () {
      yield Buffer.from(`${first}\n`);
      yield* key === undefined ? gzip : encrypt(gzip, key, first);
    };
    const output = createWriteStream(partialFile, { flags: 'w', mode: 0o600, flush: true });
    await pipeline(Readable.from(source()), output);
    // Unlike a rename, a link never takes the place of a file that is there.
    await link(partialFile, file);
    await syncFolder(dirname(file));
  } finally {
    await rm(partialFile, { force: true });
  }
}

/** The lines of a backup. @throws {BackupFault} it is not one, is damaged, or the passphrase is missing or another one */
export async function* readBackupFile(file: string, passphrase: string | undefined): AsyncGenerator<string> {
  const first = await firstLine(file);
  const [, plainMark, costText, salt] =
    /^clockproof-backup 1 (?:(plain)|scrypt ([1-9][0-9]{0,6}) ([0-9a-f]{32}))$/.exec(first) ?? [];
  if (plainMark === undefined && salt === undefined)
    throw new BackupFault(
      first.startsWith('clockproof-backup ') ? `${file} was made by a newer version` : `${file} is not a backup`,
    );
  if (salt !== undefined && passphrase === undefined)
    throw new BackupFault(`${file} is encrypted: set BACKUP_PASSPHRASE to the passphrase it was made with`);
  const body = createReadStream(file, { start: Buffer.byteLength(first) + 1, highWaterMark: chunkBytes });
  const plaintext =
    salt === undefined
      ? body
      : Readable.from(decrypt(body, await deriveKey(passphrase!, salt, Number(costText)), first));
  const gunzip = createGunzip();
  plaintext.on('error', (error: Error) => gunzip.destroy(error));
  plaintext.pipe(gunzip);
  let remainder = '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const block of gunzip) {
      const parts = (remainder + decoder.decode(block as Buffer, { stream: true })).split('\n');
      remainder = parts.pop()!;
      yield* parts;
    }
  } catch (error) {
    throw error instanceof BackupFault || (error as NodeJS.ErrnoException).syscall !== undefined
      ? error
      : new BackupFault(`${file} is damaged`, { cause: error });
  } finally {
    body.destroy();
  }
  if (remainder !== '') throw new BackupFault(`${file} is damaged`);
}

async function firstLine(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(200), 0, 200, 0);
    return buffer.toString('latin1', 0, bytesRead).split('\n')[0]!;
  } finally {
    await handle.close();
  }
}

/** Lines as larger blocks. */
async function* blocksOf(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let block = '';
  for await (const line of lines) {
    block += `${line}\n`;
    if (block.length < chunkBytes) continue;
    yield Buffer.from(block);
    block = '';
  }
  if (block !== '') yield Buffer.from(block);
}

const deriveKey = (passphrase: string, salt: string, N: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(
      passphrase.normalize('NFKC'),
      Buffer.from(salt, 'hex'),
      32,
      { N, r: 8, p: 1, maxmem: 2 ** 31 },
      (error, key) =>
        error === null ? resolve(key) : reject(new BackupFault('the backup is damaged', { cause: error })),
    );
  });

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(Math.floor(number / 2 ** 32), 3);
  nonce.writeUInt32BE(number % 2 ** 32, 7);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Blocks of exactly `size`, and a last one of at most that; each with whether it is the last. */
async function* blocksOfSize(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<readonly [Buffer, boolean]> {
  let pendingBytes: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    pendingBytes = Buffer.concat([pendingBytes, chunk]);
    for (; pendingBytes.length > size; pendingBytes = pendingBytes.subarray(size))
      yield [pendingBytes.subarray(0, size), false];
  }
  yield [pendingBytes, true];
}

async function* encrypt(source: AsyncIterable<Buffer>, key: Buffer, first: string): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const [block, isLast] of blocksOfSize(source, chunkBytes)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, isLast)).setAAD(Buffer.from(first));
    yield Buffer.concat([cipher.update(block), cipher.final(), cipher.getAuthTag()]);
  }
}

async function* decrypt(source: AsyncIterable<Buffer>, key: Buffer, first: string): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const [block, isLast] of blocksOfSize(source, chunkBytes + tagBytes)) {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast)).setAAD(Buffer.from(first));
    try {
      decipher.setAuthTag(block.subarray(block.length - tagBytes));
      yield Buffer.concat([decipher.update(block.subarray(0, block.length - tagBytes)), decipher.final()]);
    } catch (error) {
      throw new BackupFault(
        number === 0
          ? 'BACKUP_PASSPHRASE is not the passphrase of this backup, or the file is damaged'
          : 'the backup is damaged',
        { cause: error },
      );
    }
    number++;
  }
}

/** A rename is on disk once its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The file's text, or undefined if there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file whole or not at all: beside it first, to the disk, then in its place. Readable by its owner only. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.new`;
  await writeSynced(temporaryPath, text, 'w');
  await rename(temporaryPath, path);
}

/** As {@link writeWhole}, but only if the file does not exist yet; false if it does. */
export async function createWhole(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await writeSynced(path, text, 'wx');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function writeSynced(path: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  const file = await open(path, flag, 0o600);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } catch (error) {
    // A torn file that was not there before must not be taken for a whole one later.
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * The file that a name leads to. SQLite keeps `-wal` and `-shm` beside the name of the database: two names of one file
 * have two logs, which overwrite each other (https://www.sqlite.org/howtocorrupt.html §2.5). So a database has one
 * name, under which it stays as long as it is open.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * @param file an existing file
 * @returns its one name, symbolic links resolved
 * @throws Error with a sentence: it has another name, or lacks the contents of its `-wal`
 */
export function onlyNameOf(file: string): string {
  const name = realpathSync(file);
  const status = statSync(name);
  const { nlink, size } = status;
  // A folder has a name for each folder in it.
  if (status.isFile() && nlink > 1)
    throw new Error(
      'it has a second name (a hard link), and two processes would destroy it; keep one name, or copy it',
    );
  if (isMountPoint(name))
    throw new Error('it is mounted as a single file, and its -wal would be left behind; mount its folder');
  // SQLite would delete the log of an empty file.
  if (size === 0 && (statSync(`${name}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new Error(
      `it is missing or empty, and ${name}-wal has its newest writes; put the file back beside it, or move the -wal away`,
    );
  return name;
}

function isMountPoint(name: string): boolean {
  let mounts: string;
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // Linux only.
    return false;
  }
  const escapedName = name.replaceAll(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return mounts.split('\n').some((line) => line.split(' ')[4] === escapedName);
}

const suffixes = ['', '-wal', '-shm'];

/**
 * Watches whether the name still leads to the files that are open.
 * @param name see {@link onlyNameOf}; its database is open
 * @returns a function that looks, and answers a sentence if one of the files was moved, replaced or removed
 */
export function createFileWatch(name: string): () => Promise<string | undefined> {
  const identities = new Map<string, string>();
  return async () => {
    for (const end of suffixes) {
      const identity = await identityOf(name + end);
      if (identity === undefined) continue;
      const previousIdentity = identities.get(end) ?? (identity === 'none' ? undefined : identity);
      if (previousIdentity === undefined) continue;
      identities.set(end, previousIdentity);
      if (identity !== previousIdentity)
        return `${name}${end} was moved, replaced or removed while the service was running; put it back beside the other files of the database (with the endings -wal and -shm) before the next start: the newest writes are in the -wal file`;
    }
    return undefined;
  };
}

/** @returns `none` if there is no such file, undefined if that is unknown */
async function identityOf(file: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : undefined;
  }
}

/** The user of the service: the owner of the state folder. */
import { access, constants, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** As much of a process as is needed to become another user; on Windows there is none of it. */
export interface UserSwitch extends Pick<NodeJS.Process, 'getuid' | 'setgid' | 'setuid'> {
  /** Takes the groups of a user; in Node, but not in its types. */
  initgroups?(user: number, group: number): void;
}

/**
 * Turns a process of root into one of the user who owns the state folder. The service can then read the files of a
 * pairing by root, and `doctor` sees the same as the service. Changes nothing for other users and before the folder
 * exists.
 *
 * @returns true if it is another user now.
 */
export async function becomeOwnerOf(stateFolder: string, process: UserSwitch): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const owner = await stat(stateFolder).catch(() => undefined);
  if (owner === undefined || owner.uid === 0) return false;
  process.initgroups!(owner.uid, owner.gid);
  process.setgid!(owner.gid);
  process.setuid!(owner.uid);
  return true;
}

/** The first file or folder of the state folder that this user may not read and write; undefined if there is none. */
export async function inaccessibleState(stateFolder: string): Promise<string | undefined> {
  const usable = (path: string, isFolder: boolean) =>
    access(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0)).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
  if (!(await usable(stateFolder, true))) return stateFolder;
  for (const entry of await readdir(stateFolder, { withFileTypes: true }).catch(() => [])) {
    const path = join(stateFolder, entry.name);
    const inaccessiblePath = entry.isDirectory() ? await inaccessibleState(path) : undefined;
    if (inaccessiblePath !== undefined) return inaccessiblePath;
    if (!(await usable(path, entry.isDirectory()))) return path;
  }
  return undefined;
}

/** The sentence for a file that this user may not use; undefined for every other error. */
export function accessFault(error: unknown): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  return code === 'EACCES' && path !== undefined ? notAllowed(path) : undefined;
}

export function notAllowed(path: string): string {
  return `the user ${userName()} may not use ${path}: as root, chown -R ${userName()} ${path}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name, as containers have them.
    return String(process.getuid?.());
  }
}

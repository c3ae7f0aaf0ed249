/** Faults of a file in words that an operator can act on. */
import { userInfo } from 'node:os';

/**
 * @returns one sentence that names the file and its fault; undefined if the error is not about a file, or has no
 * sentence here
 */
export function fileFault(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return undefined;
  // Backups are written to `FILE.partial`; people named FILE.
  const file = path?.replace(/\.partial$/, '') ?? 'the file';
  switch (code) {
    case 'ENOENT':
      return `there is no ${file}, or a folder on the way to it is missing`;
    case 'ENOTDIR':
      return `${file}: a part of this path is a file, not a folder`;
    case 'EISDIR':
      return `${path === undefined ? 'what was given' : file} is a folder; a file is needed`;
    case 'EEXIST':
      return `${file} exists already; name a new file`;
    case 'EACCES':
    case 'EPERM':
      return path === undefined ? undefined : `${file}: permission denied for the user ${userName()}`;
    case 'EROFS':
      return `${file} is on a file system that is read-only here`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `${file}: the disk is full`;
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open: raise the limit, LimitNOFILE of the unit or ulimit -n';
    default:
      return undefined;
  }
}

/** Users of containers and of systemd often have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

/** Archives with the same bytes wherever they are packed, their checksums and a signature over these. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What `ssh-keygen -Y verify -n` asks for: a signature for another purpose is none for a release. */
const namespace = 'clockproof-release';

/**
 * @param {string} folder
 * @param {string} archive
 * @param {number} seconds since 1970, the time of every file
 */
export function pack(folder, archive, seconds) {
  const reproducibleFlags = [
    '--format=gnu',
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
  ];
  const source = ['-C', dirname(folder), basename(folder)];
  execFileSync('tar', [...reproducibleFlags, `--mtime=@${seconds}`, '-I', 'gzip -n9', '-cf', archive, ...source], {
    stdio: 'inherit',
  });
}

/** Writes SHA256SUMS over the files of a folder, and SHA256SUMS.sig if there is a key. */
export function seal(folder, key) {
  const sums = execFileSync('sha256sum', ['--', ...readdirSync(folder).sort()], { cwd: folder });
  writeFileSync(join(folder, 'SHA256SUMS'), sums);
  if (key)
    execFileSync('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', namespace, join(folder, 'SHA256SUMS')], {
      stdio: 'inherit',
    });
}

// Shared pieces (schemas, parameters, headers, responses, examples) exist because something refers to them.
import { posix } from 'node:path';

/**
 * @param {Map<string, unknown>} files parsed YAML by path, paths relative to one root with `/`
 * @param {(path: string) => boolean} isShared whether the file is a map of named pieces, each of which must be used
 */
export function* everyPieceIsUsed(files, isShared) {
  const used = new Set();
  const collect = (path, node) => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref' && typeof value === 'string') {
        const [file, pointer = ''] = value.split('#');
        used.add(`${file === '' ? path : posix.join(posix.dirname(path), file)}#/${pointer.split('/')[1] ?? ''}`);
      } else collect(path, value);
    }
  };
  for (const [path, content] of files) collect(path, content);
  for (const [path, content] of files)
    if (isShared(path))
      for (const name of Object.keys(content ?? {}))
        if (!used.has(`${path}#/${name}`)) yield { at: `${path}#/${name}`, message: 'nothing refers to this' };
}

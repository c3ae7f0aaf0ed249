/**
 * A plugin for Vite: lists the packages whose code, styles or fonts a build puts into its pages, for the notices and
 * the parts list of a release, in `dist/bundled-packages/<name>.json`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * @param {string} root the repository
 * @param {string} name
 */
export const bundledPackages = (root, name) => ({
  name: 'bundled-packages',
  apply: (_config, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
  generateBundle() {
    const folders = [...this.getModuleIds()].flatMap((id) => {
      const folder = /^\0?(\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
      return folder === undefined ? [] : [relative(root, folder).replaceAll(sep, '/')];
    });
    mkdirSync(join(root, 'dist/bundled-packages'), { recursive: true });
    const list = JSON.stringify([...new Set(folders)].sort(), null, 2);
    writeFileSync(join(root, `dist/bundled-packages/${name}.json`), `${list}\n`);
  },
});

// Pages of docs/ and beside it, as VitePress reads them: at their places on the site, without comments.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Pages that lie elsewhere in the repository. */
const otherPages = {
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
  'terminal-agent/README.md': 'terminal-agent.md',
};

/** @returns {{ path: string, title: string, text: string }[]} `path` below the site's root, with the ending .md */
export function readPages(repository) {
  const inDocs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && path !== 'docs/README.md' && !path.startsWith('docs/.'))
    .sort();
  return [...inDocs, ...Object.keys(otherPages)].map((source) => {
    const path = pathOf(source);
    const text = readFileSync(join(repository, source), 'utf8')
      .replace(/^<!--.*-->\n/gm, '')
      .replace(/(\]\()([^)\s#]+)(#[^)\s]*)?\)/g, (link, start, href, anchor = '') => {
        if (/^[a-z]+:/.test(href)) return link;
        const target = posix.normalize(posix.join(posix.dirname(source), href));
        if (!existsSync(join(repository, target))) throw new Error(`${source} links to ${href}, which does not exist`);
        return `${start}${posix.relative(posix.dirname(path), pathOf(target))}${anchor})`;
      });
    const title = /^# (.+)$/m.exec(text)?.[1];
    if (title === undefined) throw new Error(`${source} has no title`);
    return { path, title, text };
  });
}

/** Where a file of the repository stands on the site. */
function pathOf(source) {
  return otherPages[source] ?? source.replace(/^docs\//, '');
}

/** Anchors as GitHub makes them, so that links work in both places. */
export const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

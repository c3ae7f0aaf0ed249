// Pages of docs/ and beside it: read, checked, turned into HTML.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import markdownIt from 'markdown-it';

/** Pages that lie elsewhere in the repository. */
const elsewhere = {
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
  'terminal-agent/README.md': 'terminal-agent.md',
};

/** @returns {{ path: string, title: string, text: string }[]} `path` below the site's root, with the ending .md */
export function readPages(repository) {
  const below = (folder) =>
    readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'site' ? [] : below(path);
      return entry.name.endsWith('.md') && path !== 'docs/README.md' ? [path] : [];
    });
  return [...below('docs'), ...Object.keys(elsewhere)].map((source) => {
    const path = pathOf(source);
    const text = readFileSync(join(repository, source), 'utf8').replace(
      /(\]\()([^)\s#]+)(#[^)\s]*)?\)/g,
      (whole, open, href, anchor = '') => {
        if (/^[a-z]+:/.test(href)) return whole;
        const wanted = posix.normalize(posix.join(posix.dirname(source), href));
        if (!existsSync(join(repository, wanted))) throw new Error(`${source} links to ${href}, which does not exist`);
        return `${open}${posix.relative(posix.dirname(path), pathOf(wanted))}${anchor})`;
      },
    );
    const title = /^# (.+)$/m.exec(text)?.[1];
    if (title === undefined) throw new Error(`${source} has no title`);
    return { path, title, text };
  });
}

/** Where a file of the repository stands on the site. */
function pathOf(source) {
  return elsewhere[source] ?? source.replace(/^docs\//, '');
}

const markdown = markdownIt({ html: false, linkify: true, typographer: false });

/** As GitHub makes them, so that links work in both places. */
export const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

markdown.core.ruler.push('anchors', ({ tokens }) => {
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') token.attrSet('id', slugOf(tokens[index + 1].content));
  });
});
// Pages link to each other in Markdown; readers of the site stay in HTML.
markdown.core.ruler.push('pages', ({ tokens }) => {
  for (const { children } of tokens)
    for (const child of children ?? []) {
      const href = child.type === 'link_open' ? child.attrGet('href') : null;
      if (href !== null && !/^[a-z]+:/.test(href)) child.attrSet('href', href.replace(/\.md(?=#|$)/, '.html'));
    }
});
// Wide tables scroll by themselves.
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';

// Long lines of samples scroll too, also by keyboard.
const fence = markdown.renderer.rules.fence;
markdown.renderer.rules.fence = (...parts) => fence(...parts).replace('<pre>', '<pre tabindex="0">');

export function renderPage({ text }) {
  return markdown.render(text);
}

/** @throws Error naming a page and a link on it that leads to no file of the site, or to no heading */
export function checkLinks(pages, target) {
  const headings = new Map(
    pages.map(({ path, text }) => [
      path.replace(/\.md$/, '.html'),
      new Set([...renderPage({ text }).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  for (const page of pages)
    for (const [, href] of renderPage(page).matchAll(/ href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [file, anchor] = href.split('#');
      const path = file === '' ? page.path.replace(/\.md$/, '.html') : posix.join(posix.dirname(page.path), file);
      if (!existsSync(join(target, path)) && !path.endsWith('.sh') && headings.get(path) === undefined)
        throw new Error(`${page.path} links to ${href}: there is no ${path}`);
      if (anchor !== undefined && headings.get(path)?.has(anchor) === false)
        throw new Error(`${page.path} links to ${href}: there is no such heading`);
    }
}

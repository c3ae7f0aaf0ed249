// The frame of every page: contents on the left, the page, links to its Markdown.
import { posix } from 'node:path';

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** @param document of a reference: the page then brings its script */
export function layout({ path, title, sections, content, document }) {
  const to = (target) => posix.relative(posix.dirname(path), target) || '.';
  const here = path.replace(/\.md$/, '.html');
  const contents = sections
    .filter(({ entries }) => entries.length > 0)
    .map(({ title: group, entries }) => {
      const isOpen = group !== 'Decisions' || entries.some(({ href }) => href.replace(/\.md$/, '.html') === here);
      const links = entries
        .map(({ title: name, href }) => {
          const page = href.replace(/\.md$/, '.html');
          return `<li><a href="${to(page)}"${page === here ? ' aria-current="page"' : ''}>${escaped(name)}</a></li>`;
        })
        .join('');
      return `<details${isOpen ? ' open' : ''}><summary>${group}</summary><ul>${links}</ul></details>`;
    })
    .join('\n');
  const styles = ['site.css', ...(document === undefined ? [] : ['swagger-ui.css', 'reference.css'])];
  const scripts = ['site.js', ...(document === undefined ? [] : ['swagger-ui-bundle.js', 'reference.js'])];
  const source =
    document === undefined
      ? `<a href="${posix.basename(path)}">This page as Markdown</a>`
      : `<a href="${to(document)}">The document as JSON</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${to('assets/icon.svg')}" type="image/svg+xml">
<title>${escaped(title)} – Clockproof</title>
${styles.map((name) => `<link rel="stylesheet" href="${to(`assets/${name}`)}">`).join('\n')}
${scripts.map((name) => `<script src="${to(`assets/${name}`)}" defer></script>`).join('\n')}
</head>
<body${document === undefined ? '' : ' class="wide"'}>
<a class="skip" href="#content">Skip to content</a>
<header><a class="brand" href="${to('index.html')}">Clockproof <span>documentation</span></a></header>
<div class="frame">
<nav aria-label="Contents">
${contents}
</nav>
<main id="content">
${content}
<footer>${source}</footer>
</main>
</div>
</body>
</html>
`;
}

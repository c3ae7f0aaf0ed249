// The documentation as a site: `make docs`. VitePress reads pages that `stage` has written, since some of them are made
// from the contract.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { bundledPackages } from '../../service/packaging/bundled-packages.mjs';
import { renderDiagrams } from './diagrams.mjs';
import { slugOf } from './pages.mjs';
import { base, target } from './place.mjs';
import { policyOf } from './policy.mjs';
import { stage } from './stage.mjs';
import { nameTabs } from './tabs.mjs';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const source = join(repository, 'dist/docs-pages');
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const sections = stage({ repository, folder: source, base });
const leads = new Map(sections.flatMap(({ entries }) => entries.map(({ href, lead }) => [href, lead])));

export default defineConfig({
  base,
  lang: 'en',
  title: 'Clockproof',
  titleTemplate: ':title – Clockproof',
  description: 'Working-time tracking that can prove what it recorded.',
  srcDir: '../dist/docs-pages',
  srcExclude: ['public/**'],
  outDir: target,
  cacheDir: '../dist/docs-cache',
  // Without it the map of pages would be a third inline script, and differ between builds.
  metaChunk: true,
  // One page after the other, so that the index of the search has the same order in every build.
  buildConcurrency: 1,
  // The index of the search is one file.
  vite: { build: { chunkSizeWarningLimit: 1_000 }, plugins: [bundledPackages(repository, 'docs')] },
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    html: false,
    // Their colours stand out enough from the ground of samples.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slugOf },
    codeTransformers: [
      {
        name: 'no-time-limit',
        // Shiki stops colouring a line after half a second, which on a busy machine makes each build another.
        preprocess(_code, options) {
          options.tokenizeTimeLimit = 0;
        },
      },
    ],
    config(markdown) {
      renderDiagrams(markdown);
      nameTabs(markdown);
      // The corner of a table heads nothing.
      markdown.core.ruler.push('corners', ({ tokens }) => {
        tokens.forEach(({ type }, index) => {
          if (type !== 'th_open' || tokens[index + 1].content !== '') return;
          for (const token of [tokens[index], tokens[index + 2]]) token.tag = 'td';
        });
      });
      // Pages hold text and no templates.
      markdown.renderer.rules.text = (tokens, index) =>
        markdown.utils.escapeHtml(tokens[index].content).replaceAll('{{', '&#123;&#123;');
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'HR', link: '/guides/people' },
      { text: 'Operation', link: '/operations/install', activeMatch: '^/operations/' },
      { text: 'Integration', link: '/guides/first-request' },
      { text: 'API', link: '/reference/api', activeMatch: '^/reference/api' },
      { text: 'Errors', link: '/reference/errors', activeMatch: '^/reference/errors' },
      { text: version, link: '/changelog', activeMatch: '^/changelog' },
    ],
    sidebar: sections.map(({ title, entries }) => ({
      text: title,
      items: entries.map(({ title: text, href }) => ({ text, link: `/${href.replace(/\.md$/, '')}` })),
    })),
  },
  transformPageData({ relativePath }) {
    const lead = leads.get(relativePath);
    return lead === undefined || lead === '' ? {} : { description: lead };
  },
  transformHead({ pageData: { relativePath, frontmatter, isNotFound } }) {
    if (isNotFound) return [];
    const markdown = ['link', { rel: 'alternate', type: 'text/markdown', href: base + relativePath }];
    if (frontmatter.layout !== 'ApiReference') return [markdown];
    const preload = (name, as) => ['link', { rel: 'preload', as, href: `${base}reference/${name}` }];
    return [markdown, preload('swagger-ui.css', 'style'), preload('swagger-ui-bundle.js', 'script')];
  },
  buildEnd({ outDir }) {
    const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' });
    const pages = files.filter((name) => name.endsWith('.html'));
    const policy = policyOf(pages.map((name) => readFileSync(join(outDir, name), 'utf8')));
    writeFileSync(join(outDir, 'policy.json'), `${JSON.stringify(policy)}\n`);
    rmSync(source, { recursive: true });
  },
});

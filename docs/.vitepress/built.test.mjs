// What `make docs` has built holds together.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, it } from 'node:test';
import { base, target } from './place.mjs';
import { hashOf, inlineScriptsOf } from './policy.mjs';

const read = (path) => readFileSync(join(target, path), 'utf8');
const files = readdirSync(target, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
const pages = files.filter((name) => name.endsWith('.html')).map((path) => ({ path, html: read(path) }));
const idsOf = new Map(
  pages.map(({ path, html }) => [path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
);
/** Places at which Vue takes over what the build has drawn. */
const marksOfVue = /<!--(?:\[|\]|v-if|teleport (?:start|end)(?: anchor)?|)-->/g;
const findings = (judge) =>
  pages.flatMap(({ path, html }) => judge(html, path).map((finding) => `${path}: ${finding}`));

describe('the built documentation', () => {
  it('has its pages, each with one title', () => {
    assert.ok(pages.length > 70, String(pages.length));
    const titles = (html, path) => (path === '404.html' || html.match(/<h1/g)?.length === 1 ? [] : ['not one h1']);
    assert.deepEqual(findings(titles), []);
  });

  it('describes each page in a sentence of its own, or not at all', () => {
    const leads = [...read('llms.txt').matchAll(/^- \[[^\]]+\]\([^)]+\): (.+)$/gm)].map(([, lead]) => lead);
    assert.ok(leads.length > 30, String(leads.length));
    assert.deepEqual(
      leads.filter((lead, index) => lead.split(' ').length < 3 || leads.indexOf(lead) !== index),
      [],
    );
  });

  it('shows no comment', () => {
    const comments = (html) => html.replaceAll(marksOfVue, '').match(/(?:<|&lt;)!--.{0,40}/g) ?? [];
    assert.deepEqual(findings(comments), []);
  });

  it('shows diagrams, and the source of none', () => {
    const sources = (html) => html.match(/language-mermaid|stateDiagram|sequenceDiagram|flowchart |--&gt;&gt;/g) ?? [];
    assert.deepEqual(findings(sources), []);
    assert.match(read('guides/absences.html'), /<svg[^>]* role="img"/);
  });

  it('runs no inline script that the policy does not name', () => {
    const { scripts } = JSON.parse(read('policy.json'));
    assert.equal(scripts.length, 2);
    const unlistedScripts = (html) => inlineScriptsOf(html).filter((text) => !scripts.includes(hashOf(text)));
    assert.deepEqual(findings(unlistedScripts), []);
    assert.deepEqual(
      findings((html) => html.match(/<[a-z][^>]* on[a-z]+="/g) ?? []),
      [],
    );
  });

  it('has a small document for the reference, without values for optional parameters', () => {
    const text = read('reference/api.json');
    assert.ok(text.length < 360_000, String(text.length));
    const { components } = JSON.parse(text);
    for (const { name, required, example, examples } of Object.values(components.parameters))
      if (!required) assert.deepEqual([name, example, examples], [name, undefined, undefined]);
  });

  it('shows an example of the contract at each answer, and makes none up', () => {
    for (const [pagePath, contractPath] of [
      ['reference/api.json', 'openapi.json'],
      ['reference/indexer.json', 'indexer-openapi.json'],
    ]) {
      const [page, contract] = [pagePath, contractPath].map((path) => JSON.parse(read(path)));
      const answersOf = (document) =>
        Object.entries(document.paths).flatMap(([path, item]) =>
          Object.entries(item).flatMap(([method, { responses = {} }]) =>
            Object.entries(responses).flatMap(([status, { content = {} }]) =>
              Object.entries(content).map(([type, { example, examples = {} }]) => [
                `${method} ${path} ${status} ${type}`,
                example ?? Object.entries(examples)[0],
              ]),
            ),
          ),
        );
      const answers = answersOf(contract);
      assert.ok(answers.length > 10, String(answers.length));
      assert.deepEqual(answersOf(page), answers);
      assert.deepEqual(
        answers.filter(([, example]) => example === undefined),
        [],
      );
      assert.deepEqual(page.components.examples, contract.components.examples);
    }
  });

  it('has a sample of each operation, or names the guide that has its program', () => {
    const page = read('reference/samples.md');
    for (const name of ['api', 'indexer']) {
      const samples = JSON.parse(read(`reference/${name}-samples.json`));
      for (const item of Object.values(JSON.parse(read(`reference/${name}.json`)).paths))
        for (const { operationId, summary } of Object.values(item).filter(({ operationId }) => operationId)) {
          const { guide, note, variables, ...code } = samples[operationId];
          const [, section] = page.split(`\n### ${summary}\n`);
          for (const part of guide === undefined ? Object.values(code) : [note, guide])
            assert.ok(section.includes(part), operationId);
          if (guide === undefined) assert.deepEqual(Object.keys(code), ['curl', 'typescript', 'python'], operationId);
        }
    }
  });

  it('loads nothing from elsewhere', () => {
    const externalLinks = (html) =>
      html.match(/<(?:link|script|img)\b[^>]*(?:href|src)="(?:https?:)?\/\/[^"]*"|@import/g) ?? [];
    assert.deepEqual(findings(externalLinks), []);
  });

  it('has no link that leads nowhere', () => {
    const brokenLinks = (html, path) =>
      [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].flatMap(([, address]) => {
        if (/^[a-z]+:/.test(address)) return [];
        const { pathname, hash } = new URL(address, `http://here${posix.join(base, path)}`);
        if (!pathname.startsWith(base)) return [address];
        const file = decodeURI(pathname.slice(base.length)) || 'index.html';
        const isThere = existsSync(join(target, file)) && /\.\w+$/.test(file);
        const anchor = decodeURIComponent(hash.slice(1));
        const hasAnchor = anchor === '' || !idsOf.has(file) || idsOf.get(file).has(anchor);
        return isThere && hasAnchor ? [] : [address];
      });
    assert.deepEqual(findings(brokenLinks), []);
  });

  it('has each page as Markdown too, which llms.txt names', () => {
    const index = read('llms.txt');
    assert.doesNotMatch(index, /: \S+$/m, 'a summary is a sentence');
    for (const { path } of pages) {
      if (path === '404.html') continue;
      const markdown = path.replace(/\.html$/, '.md');
      assert.match(read(markdown), /^# /, markdown);
      assert.ok(path === 'index.html' || index.includes(`(${base}${markdown})`), markdown);
    }
  });
});

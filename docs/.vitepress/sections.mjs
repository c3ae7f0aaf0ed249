// The table of contents: what to read for which job.

const groups = [
  ['Guides', /^guides\//],
  ['Reference', /^(reference|protocols)\//],
  ['Operation', /^operations\//],
  [
    'About',
    /^(glossary|terms|changelog|versions|security|threat-model|data-protection|contributing|terminal-agent)\.md$/,
  ],
  ['Examples', /^examples\//],
  ['Decisions', /^decisions\//],
];

/** In this order; others by title. */
const first = [
  'guides/first-request.md',
  'guides/what-you-can-build.md',
  'guides/act-for-a-company.md',
  'guides/synchronisation.md',
  'guides/receive-events.md',
  'guides/link-an-app.md',
  'guides/set-up-an-entrance.md',
  'guides/entrance-pc.md',
  'guides/build-a-terminal.md',
  'guides/verify-a-proof.md',
  'reference/api.md',
  'reference/samples.md',
  'reference/errors.md',
  'reference/permissions.md',
  'reference/events.md',
  'reference/indexer.md',
];

/** @returns {{ title: string, entries: { title: string, href: string, lead: string }[] }[]} */
export function sectionsOf(pages) {
  const place = ({ path }) => (first.includes(path) ? first.indexOf(path) : first.length);
  const sorted = [...pages].sort((a, b) => place(a) - place(b) || a.title.localeCompare(b.title, 'en'));
  return groups.map(([title, pattern]) => ({
    title,
    entries: sorted
      .filter(({ path }) => pattern.test(path))
      .map(({ path, title: name, text, lead = leadOf(text) }) => ({ title: name, href: path, lead })),
  }));
}

/** The first sentence below the title, without marks. */
function leadOf(text) {
  const paragraph = text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => block !== '' && !/^([#|`<>-]|\d+\.)/.test(block));
  const plain = (paragraph ?? '')
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '');
  const sentence = /^(.*?[.:!?])(\s|$)/.exec(plain)?.[1] ?? plain;
  return sentence.length > 160 ? '' : sentence.replace(/:$/, '.');
}

// The table of contents: what to read for which job.

const guides = (...names) => new RegExp(`^guides/(${names.join('|')})\\.md$`);

/** @type {readonly (readonly [string, RegExp])[]} each page belongs to the first group that takes it */
const groups = [
  [
    'For HR',
    guides('people', 'working-time', 'working-time-rules', 'absences', 'daily-sheets', 'payroll', 'evaluations'),
  ],
  ['For operators', /^(operations\/.*|guides\/(anchor-months|set-up-an-entrance|entrance-pc|conformance)\.md)$/],
  ['For integrators', /^guides\//],
  ['Reference', /^(reference|protocols)\//],
  [
    'About',
    /^(glossary|terms|changelog|versions|security|threat-model|data-protection|contributing|terminal-agent)\.md$/,
  ],
  ['Examples', /^examples\//],
  ['Decisions', /^decisions\//],
];

/** In this order; others by title. */
const firstPaths = [
  'guides/people.md',
  'guides/working-time.md',
  'guides/working-time-rules.md',
  'guides/absences.md',
  'operations/install.md',
  'operations/configuration.md',
  'guides/anchor-months.md',
  'guides/first-request.md',
  'guides/what-you-can-build.md',
  'guides/act-for-a-company.md',
  'guides/synchronisation.md',
  'guides/receive-events.md',
  'guides/link-an-app.md',
  'guides/build-a-terminal.md',
  'guides/verify-a-proof.md',
  'guides/check-a-proof-file.md',
  'guides/set-up-an-entrance.md',
  'guides/entrance-pc.md',
  'reference/api.md',
  'reference/samples.md',
  'reference/errors.md',
  'reference/permissions.md',
  'reference/events.md',
  'reference/indexer.md',
];

/** @returns {{ title: string, entries: { title: string, href: string, lead: string }[] }[]} */
export function sectionsOf(pages) {
  const place = ({ path }) => (firstPaths.includes(path) ? firstPaths.indexOf(path) : firstPaths.length);
  const sortedPages = [...pages].sort((a, b) => place(a) - place(b) || a.title.localeCompare(b.title, 'en'));
  const groupOf = ({ path }) => groups.find(([, pattern]) => pattern.test(path));
  return groups.map((group) => ({
    title: group[0],
    entries: sortedPages
      .filter((page) => groupOf(page) === group)
      .map(({ path, title: name, text, lead = leadOf(text) }) => ({ title: name, href: path, lead })),
  }));
}

/** The first sentence below the title, without marks and without the label of a paragraph ("**Context.**"). */
function leadOf(text) {
  const paragraph = text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => block !== '' && !/^([#|<>-]|```|\d+\.)/.test(block));
  const plain = (paragraph ?? '')
    .replace(/\s+/g, ' ')
    .replace(/^\*\*[^*]+\.\*\* /, '')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '');
  const sentence = /^(.*?[.:!?])(\s|$)/.exec(plain)?.[1] ?? plain;
  return sentence.length > 200 ? '' : sentence.replace(/:$/, '.');
}

/** The page: a file goes in, steps and a sheet come out. It connects to nothing. */
import { checkProof } from './check.ts';
import { pageWords } from './page-words.js';
import { questionsFor } from './questions.ts';
import { element, sheetOf } from './sheet.js';
import { outcomes, sentenceOf, words } from './words.ts';

const byId = (id) => document.getElementById(id);
let language = navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
let text;

const readInput = (id) => byId(id).value.replace(/\s/g, '') || undefined;
/** Only what a browser may open: no other scheme becomes a link. */
const indexes = () => [
  ...new Set(
    byId('indexes')
      .value.split(/\s+/)
      .filter((line) => /^https?:\/\/[^/]/.test(line)),
  ),
];

function say() {
  const now = pageWords[language];
  document.documentElement.lang = language;
  document.title = now.title;
  for (const node of document.querySelectorAll('[data-word]')) node.textContent = now[node.dataset.word];
  for (const button of document.querySelectorAll('[data-language]'))
    button.setAttribute('aria-pressed', String(button.dataset.language === language));
  if (text !== undefined) show();
}

function show() {
  const now = pageWords[language];
  const expectation = { company: readInput('company'), person: readInput('person'), sender: readInput('sender') };
  const { steps, file } = checkProof(text, expectation);
  const isBad = steps.some(({ outcome }) => outcome === 'failed');
  byId('answer').hidden = false;
  byId('answer').className = isBad ? 'bad' : 'plain';
  [byId('headline').textContent, byId('explanation').textContent] = isBad ? now.bad : now.good;
  byId('steps').replaceChildren(
    ...steps.map((step) => {
      const item = element('li');
      item.className = step.outcome;
      item.append(
        element('strong', `${step.number}. ${words[language].titles[step.number - 1]}`),
        element('b', outcomes[language][step.outcome]),
        ` – ${sentenceOf(step, language)}`,
      );
      return item;
    }),
  );
  byId('asks').replaceChildren(...(file === undefined ? [] : asksFor(file, expectation.sender)));
  byId('sheet').hidden = file === undefined;
  const isProved = steps.slice(0, 3).every(({ outcome }) => outcome === 'passed');
  byId('sheet').replaceChildren(...(file === undefined ? [] : sheetOf(file, isProved, language)));
}

function asksFor(file, sender) {
  const now = pageWords[language];
  if (indexes().length === 0) return [element('p', now.asks_none)];
  const link = (href, label) => {
    const anchor = element('a', label);
    anchor.href = href;
    anchor.rel = 'noreferrer';
    return element('li', undefined, anchor);
  };
  const items = indexes().flatMap((index) => {
    const { roots, list } = questionsFor(index, file, sender);
    return [...roots.map((url) => link(url, now.ask_root(index))), link(list, now.ask_list(index))];
  });
  return [
    element('h3', now.asks),
    ...(file.anchors.length === 0 ? [element('p', now.no_anchor)] : []),
    element('ul', undefined, ...items),
  ];
}

async function take(file) {
  if (file === undefined) return;
  // A file of a whole month has 30 kB.
  text = file.size > 5_000_000 ? '' : await file.text();
  show();
}

byId('file').addEventListener('change', () => take(byId('file').files[0]));
byId('question').addEventListener('input', () => text !== undefined && show());
byId('question').addEventListener('submit', (event) => event.preventDefault());
for (const name of ['dragover', 'dragleave', 'drop'])
  addEventListener(name, (event) => {
    event.preventDefault();
    byId('drop').classList.toggle('over', name === 'dragover');
    if (name === 'drop') take(event.dataTransfer.files[0]);
  });
for (const button of document.querySelectorAll('[data-language]'))
  button.addEventListener('click', () => {
    language = button.dataset.language;
    say();
  });
say();

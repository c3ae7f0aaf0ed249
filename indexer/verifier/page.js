/** The page: a file goes in, steps and a sheet come out. It connects to nothing. */
import { checkProof } from './check.ts';
import { pageWords } from './page-words.js';
import { indexAddress, isSender, questionsFor } from './questions.ts';
import { maxFileBytes, textOfFile } from './read-file.ts';
import { element, sheetOf } from './sheet.js';
import { outcomes, sentenceOf, words } from './words.ts';

const byId = (id) => document.getElementById(id);
let language = navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
let text;
let name;

const readInput = (id) => byId(id).value.replace(/\s/g, '') || undefined;
const lines = () =>
  byId('indexes')
    .value.split(/\s+/)
    .filter((line) => line !== '');
/** Only what a browser may open: no other scheme becomes a link. */
const indexes = () => [...new Set(lines().map(indexAddress))].filter((address) => address !== undefined);

/** Half an address must not speak against a file. */
function readSender(now) {
  const sender = readInput('sender');
  const isWrong = sender !== undefined && !isSender(sender);
  byId('sender').setAttribute('aria-invalid', String(isWrong));
  byId('sender-help').textContent = isWrong ? now.sender_form : '';
  return isWrong ? undefined : sender;
}

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
  const expectation = { company: readInput('company'), person: readInput('person'), sender: readSender(now) };
  const { steps, file } = checkProof(text, expectation);
  const isBad = steps.some(({ outcome }) => outcome === 'failed');
  byId('answer').hidden = false;
  byId('answer').className = isBad ? 'bad' : 'plain';
  [byId('headline').textContent, byId('explanation').textContent] = isBad ? now.bad : now.good;
  byId('checked').textContent = now.checked(name);
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
  const others = lines().filter((line) => indexAddress(line) === undefined);
  const complaint = others.length === 0 ? [] : [element('p', now.not_index(others.join(', ')))];
  if (indexes().length === 0) return [...complaint, element('p', now.asks_none)];
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
    ...complaint,
    element('h3', now.asks),
    ...(file.anchors.length === 0 ? [element('p', now.no_anchor)] : []),
    element('ul', undefined, ...items),
  ];
}

async function take(file) {
  if (file === undefined) return;
  // A folder, and a file that was removed, have no bytes.
  const bytes = file.size > maxFileBytes ? new Uint8Array() : await file.arrayBuffer().catch(() => new Uint8Array());
  [name, text] = [file.name, textOfFile(bytes)];
  show();
}

// A file that was edited can be chosen again: a browser reports a change only.
byId('file').addEventListener('click', () => {
  byId('file').value = '';
});
byId('file').addEventListener('change', () => take(byId('file').files[0]));
byId('question').addEventListener('input', () => text !== undefined && show());
byId('question').addEventListener('submit', (event) => event.preventDefault());
for (const type of ['dragover', 'dragleave', 'drop'])
  addEventListener(type, (event) => {
    event.preventDefault();
    byId('drop').classList.toggle('over', type === 'dragover');
    const { files } = event.dataTransfer ?? {};
    if (type !== 'drop' || !files?.length) return;
    byId('file').files = files;
    take(files[0]);
  });
for (const button of document.querySelectorAll('[data-language]'))
  button.addEventListener('click', () => {
    language = button.dataset.language;
    say();
  });
say();

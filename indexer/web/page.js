import { askForMonths, showMonths } from './months.js';
import { rootIn, transactionIn } from './pasted.js';
import { timeOf } from './time.js';
import { words } from './words.js';

const byId = (id) => document.getElementById(id);
let language =
  new URLSearchParams(location.search).get('lang') === 'de' || navigator.language.toLowerCase().startsWith('de')
    ? 'de'
    : 'en';
if (new URLSearchParams(location.search).get('lang') === 'en') language = 'en';
let lastAnswer;
let status;
/** Counts questions, so that an answer that comes after the next question was put is not shown under it. */
let turn = 0;

function say() {
  const now = words[language];
  document.documentElement.lang = language;
  document.title = now.title;
  for (const element of document.querySelectorAll('[data-word]')) element.textContent = now[element.dataset.word];
  for (const button of document.querySelectorAll('[data-language]'))
    button.setAttribute('aria-pressed', String(button.dataset.language === language));
  if (status)
    byId('status').textContent = now.status(
      status.indexed_count.toLocaleString(language),
      status.network,
      status.last_index_time ? timeOf(status.last_index_time, language) : now.never,
    );
  if (lastAnswer !== undefined) show(lastAnswer);
  showMonths(now, language);
}

function show({ word, tone, tx, proofs = [], versions = [], others = [] }) {
  lastAnswer = { word, tone, tx, proofs, versions, others };
  const now = words[language];
  byId('answer').hidden = false;
  byId('answer').className = tone;
  [byId('headline').textContent, byId('explanation').textContent] = now[word];
  byId('about').textContent = tx === undefined ? '' : now.about(tx);
  byId('proofs').replaceChildren(
    ...[...proofs, ...versions].map((proof) => {
      const list = document.createElement('dl');
      if (versions.includes(proof)) {
        const lead = document.createElement('dt');
        lead.className = 'version';
        lead.textContent = now.disputed_version;
        list.append(lead);
      }
      for (const name of ['company_token', 'period', 'merkle_root', 'ledger_time', 'sender', 'checkpoint']) {
        if (proof[name] === undefined) continue;
        const term = document.createElement('dt');
        const value = document.createElement('dd');
        term.textContent = now[name];
        value.textContent = name === 'ledger_time' ? timeOf(proof[name], language) : String(proof[name]);
        list.append(term, value);
      }
      return list;
    }),
  );
  byId('others').hidden = others.length === 0;
  byId('others-lead').textContent = now.others(others.length);
  byId('others-list').replaceChildren(
    ...others.map((proof) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = `#tx=${encodeURIComponent(proof.tx)}`;
      link.textContent = now.other(proof.merkle_root, proof.sender);
      item.append(link);
      return item;
    }),
  );
}

/** An answer stands only beside the question it answers. */
function forget() {
  turn++;
  lastAnswer = undefined;
  byId('answer').hidden = true;
}

const tones = { match: 'good', mismatch: 'bad', indexed: 'plain' };

const isRoot = (text) => /^(0[xX])?[0-9a-fA-F]{64}$/.test(text);

/** @returns the answer to show */
async function answerTo(tx, root) {
  const query = root === '' ? '' : `?root=${encodeURIComponent(root)}`;
  const response = await fetch(`/api/v1/verify/${encodeURIComponent(tx)}${query}`, {
    headers: { accept: 'application/json' },
  });
  if (response.status === 429) return { word: 'too_many', tone: 'plain' };
  if (response.status === 400 || response.status === 404)
    return { word: isRoot(root) || root === '' ? 'bad_tx' : 'bad_root', tone: 'plain' };
  if (!response.ok) return { word: 'failed', tone: 'plain' };
  const verdict = await response.json();
  return {
    word: verdict.verdict === 'unknown' ? verdict.reason : verdict.verdict,
    tone: tones[verdict.verdict] ?? 'plain',
    tx,
    proofs: verdict.proofs,
    versions: verdict.disputed_by,
    others: await otherRoots(verdict.proofs),
  };
}

/**
 * Other proofs for the same companies and periods: anybody may write to the ledger, and a period may have been closed
 * twice. Empty if the index does not tell.
 */
async function otherRoots(proofs) {
  const roots = new Set(proofs.map((proof) => proof.merkle_root));
  const questions = [
    ...new Set(
      proofs.map(
        ({ company_token, period }) =>
          `/api/v1/companies/${encodeURIComponent(company_token)}/proofs?period=${encodeURIComponent(period)}`,
      ),
    ),
  ].slice(0, 5);
  const lists = await Promise.all(
    questions.map((url) =>
      fetch(url).then(
        (response) => (response.ok ? response.json() : { data: [] }),
        () => ({ data: [] }),
      ),
    ),
  );
  return lists.flatMap(({ data }) => data).filter(({ merkle_root }) => !roots.has(merkle_root));
}

byId('question').addEventListener('submit', async (event) => {
  event.preventDefault();
  const tx = transactionIn(byId('tx').value);
  const root = rootIn(byId('root').value);
  byId('tx').value = tx;
  byId('root').value = root;
  const question = ++turn;
  if (tx === '') {
    show({ word: 'no_tx', tone: 'plain' });
    return byId('tx').focus();
  }
  const button = byId('question').querySelector('[type=submit]');
  button.disabled = true;
  button.textContent = words[language].busy;
  const answer = await answerTo(tx, root).catch(() => ({ word: 'failed', tone: 'plain' }));
  button.disabled = false;
  button.textContent = words[language].submit;
  if (question === turn) show(answer);
});
byId('question').addEventListener('input', forget);
askForMonths(say);

for (const button of document.querySelectorAll('[data-language]')) {
  button.addEventListener('click', () => {
    language = button.dataset.language;
    say();
  });
}

say();
fetch('/api/v1/status')
  .then((response) => response.json())
  .then(
    (answer) => {
      if (answer.network) {
        status = answer;
        say();
      }
    },
    () => undefined,
  );

/** A link may carry the question: /#tx=…&root=… */
function askLinked() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (!parameters.get('tx')) return;
  forget();
  byId('tx').value = parameters.get('tx');
  byId('root').value = parameters.get('root') ?? '';
  byId('question').requestSubmit();
}
addEventListener('hashchange', askLinked);
askLinked();

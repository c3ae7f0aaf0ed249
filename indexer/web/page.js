import { words } from './words.js';

const byId = (id) => document.getElementById(id);
let language = new URLSearchParams(location.search).get('lang') === 'de' || navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
if (new URLSearchParams(location.search).get('lang') === 'en') language = 'en';
let shown;
let status;

function say() {
  const now = words[language];
  document.documentElement.lang = language;
  document.title = now.title;
  for (const element of document.querySelectorAll('[data-word]')) element.textContent = now[element.dataset.word];
  for (const button of document.querySelectorAll('[data-language]')) button.setAttribute('aria-pressed', String(button.dataset.language === language));
  if (status) byId('status').textContent = now.status(status.indexed_count.toLocaleString(language), status.network, status.last_index_time ? timeOf(status.last_index_time) : now.never);
  if (shown) show(shown);
}

const timeOf = (instant) => new Date(instant).toLocaleString(language, { dateStyle: 'long', timeStyle: 'medium' });

function show({ word, tone, proofs }) {
  shown = { word, tone, proofs };
  const now = words[language];
  byId('answer').hidden = false;
  byId('answer').className = tone;
  [byId('headline').textContent, byId('explanation').textContent] = now[word];
  byId('proofs').replaceChildren(...proofs.map((proof) => {
    const list = document.createElement('dl');
    for (const name of ['company_token', 'period', 'merkle_root', 'ledger_time', 'sender', 'checkpoint']) {
      if (proof[name] === undefined) continue;
      const term = document.createElement('dt');
      const value = document.createElement('dd');
      term.textContent = now[name];
      value.textContent = name === 'ledger_time' ? timeOf(proof[name]) : String(proof[name]);
      list.append(term, value);
    }
    return list;
  }));
}

const tones = { match: 'good', mismatch: 'bad', indexed: 'plain' };

async function ask(tx, root) {
  const query = root === '' ? '' : `?root=${encodeURIComponent(root)}`;
  const response = await fetch(`/api/v1/verify/${encodeURIComponent(tx)}${query}`, { headers: { accept: 'application/json' } });
  if (response.status === 429) return show({ word: 'too_many', tone: 'plain', proofs: [] });
  if (response.status === 400 || response.status === 404) return show({ word: /^(0[xX])?[0-9a-fA-F]{64}$/.test(root) || root === '' ? 'bad_tx' : 'bad_root', tone: 'plain', proofs: [] });
  if (!response.ok) return show({ word: 'failed', tone: 'plain', proofs: [] });
  const verdict = await response.json();
  show({ word: verdict.verdict === 'unknown' ? verdict.reason : verdict.verdict, tone: tones[verdict.verdict] ?? 'plain', proofs: verdict.proofs });
}

byId('question').addEventListener('submit', async (event) => {
  event.preventDefault();
  const tx = byId('tx').value.trim();
  const root = byId('root').value.trim();
  if (tx === '') return byId('tx').focus();
  const button = byId('question').querySelector('[type=submit]');
  button.disabled = true;
  button.textContent = words[language].busy;
  try {
    await ask(tx, root);
  } catch {
    show({ word: 'failed', tone: 'plain', proofs: [] });
  } finally {
    button.disabled = false;
    button.textContent = words[language].submit;
  }
});

for (const button of document.querySelectorAll('[data-language]')) {
  button.addEventListener('click', () => { language = button.dataset.language; say(); });
}

say();
fetch('/api/v1/status').then((response) => response.json()).then((answer) => { if (answer.network) { status = answer; say(); } }, () => undefined);

// A link may carry the question: /#tx=…&root=…
const linked = new URLSearchParams(location.hash.slice(1));
if (linked.get('tx')) {
  byId('tx').value = linked.get('tx');
  byId('root').value = linked.get('root') ?? '';
  byId('question').requestSubmit();
}

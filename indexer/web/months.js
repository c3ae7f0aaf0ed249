// The periods that a company token was anchored for, newest first, and the months missing between them.
import { timeOf } from './time.js';

const byId = (id) => document.getElementById(id);
/** The last answer: a word, or periods with the next page. */
let lastAnswer;
/** Counts questions: an answer that comes after the next one is not shown. */
let turn = 0;

/** @param now the words of the page's language */
export function showMonths(now, language) {
  byId('months').hidden = lastAnswer === undefined;
  if (lastAnswer === undefined) return;
  const { word, periods = [], missing = [], next } = lastAnswer;
  byId('months-said').textContent = word === undefined ? now.months_found(periods.length) : now[word].join(' ');
  byId('months-missing').textContent = missing.length === 0 ? '' : now.months_missing(missing.map(now.month_range));
  byId('months-list').replaceChildren(...periods.map((period) => listOf(period, now, language)));
  byId('months-more').hidden = !next;
}

function listOf({ period, versions, anchors }, now, language) {
  const list = document.createElement('dl');
  const add = (term, text) => {
    const [name, value] = [document.createElement('dt'), document.createElement('dd')];
    [name.textContent, value.textContent] = [term, text];
    list.append(name, value);
  };
  add(now.period, versions > 1 ? `${period} – ${now.months_versions(versions)}` : period);
  for (const { merkle_root: root, sender, ledger_time: time } of anchors) {
    add(now.merkle_root, root);
    add(now.sender, sender);
    if (time !== undefined) add(now.ledger_time, timeOf(time, language));
  }
  return list;
}

/** @param say shows the page in its language again */
export function askForMonths(say) {
  const form = byId('company');
  const ask = async (token, before) => {
    const question = ++turn;
    const answer = await read(token, before?.next).catch(() => ({ word: 'failed' }));
    if (question !== turn) return;
    lastAnswer = before === undefined || answer.word !== undefined ? answer : join(before, answer);
    say();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    byId('company-token').value = byId('company-token').value.trim();
    void ask(byId('company-token').value);
  });
  form.addEventListener('input', () => {
    turn++;
    lastAnswer = undefined;
    say();
  });
  byId('months-more').addEventListener('click', () => void ask(byId('company-token').value, lastAnswer));
}

async function read(token, cursor) {
  if (token === '') return { word: 'no_company' };
  const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
  const response = await fetch(`/api/v1/companies/${encodeURIComponent(token)}/periods${query}`);
  if (response.status === 429) return { word: 'too_many' };
  if (response.status === 400 || response.status === 404) return { word: 'bad_company' };
  if (!response.ok) return { word: 'failed' };
  const { data, missing, next_cursor: next } = await response.json();
  return data.length === 0 && !cursor ? { word: 'no_months' } : { periods: data, missing, next };
}

const join = (before, after) => ({
  periods: [...before.periods, ...after.periods],
  missing: [...before.missing, ...after.missing],
  next: after.next,
});

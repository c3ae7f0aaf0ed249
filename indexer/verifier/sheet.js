/** The month of a file as a sheet. Parts are shown in words; a part of an unexpected form is shown raw. */
import { pageWords } from './page-words.js';

const locales = { de: 'de-DE', en: 'en-GB' };

export function element(name, text, ...children) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  node.append(...children);
  return node;
}

/** @param minutes whole. @returns for example `-0:30` */
function duration(minutes) {
  if (!Number.isInteger(minutes)) return String(minutes ?? '–');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '−' : ''}${Math.floor(size / 60)}:${String(size % 60).padStart(2, '0')}`;
}

/** @param file as it was read. @param isProved true if it belongs to its root. @returns elements */
export function sheetOf({ head, parts }, isProved, language) {
  const now = pageWords[language];
  const part = (name) => parts.find((candidate) => candidate.name === name);
  const format = (options) => {
    const createFormatter = (zone) => new Intl.DateTimeFormat(locales[language], { ...options, timeZone: zone });
    let formatter;
    try {
      formatter = createFormatter(head.time_zone);
    } catch {
      formatter = createFormatter('UTC');
    }
    return (instant) =>
      Number.isNaN(Date.parse(instant)) ? String(instant ?? '–') : formatter.format(new Date(instant));
  };
  const moment = format({ dateStyle: 'medium', timeStyle: 'long' });
  const clock = format({ hour: '2-digit', minute: '2-digit' });

  /** Shows a part by `show`; hidden, or in another form, as such. */
  const showPart = (name, show, showHidden = () => element('p', now.is_hidden)) => {
    const { text, content } = part(name);
    if (text === undefined) return showHidden();
    try {
      return show(content);
    } catch {
      return element('p', text);
    }
  };
  const facts = (rows) =>
    element(
      'dl',
      undefined,
      ...rows.flatMap(([term, value]) => [element('dt', term), element('dd', String(value ?? '–'))]),
    );
  const list = (lines) =>
    lines.length === 0 ? element('p', now.none) : element('ul', undefined, ...lines.map((line) => element('li', line)));
  const section = (title, content) => [element('h3', title), content];

  const spans = ({ start, end, breaks }) =>
    `${clock(start)}–${end === null ? '?' : clock(end)}${breaks.length === 0 ? '' : ` (${breaks.map((span) => `${clock(span.start)}–${span.end === null ? '?' : clock(span.end)}`).join(', ')})`}`;
  const absence = ({ category, halves }) =>
    `${now[category === 'vacation' ? 'vacation' : 'other']}${halves === 1 ? `, ${now.half}` : ''}`;
  const day = ({ name, text, content }) => {
    const row = element('tr', undefined, element('td', name));
    try {
      if (text === undefined) throw new Error('hidden');
      const times = element('td', [...content.entries.map(spans), ...content.absences.map(absence)].join(' · '));
      const sums = ['paused', 'target', 'worked'].map((sum) => element('td', duration(content[sum])));
      for (const cell of sums) cell.className = 'number';
      row.append(times, ...sums);
    } catch {
      const cell = element('td', text ?? now.is_hidden);
      cell.colSpan = 4;
      cell.className = 'hidden';
      row.append(cell);
    }
    return row;
  };
  const titles = [now.day, now.times, now.paused, now.target, now.worked].map((title, place) => {
    const cell = element('th', title);
    cell.scope = 'col';
    if (place > 1) cell.className = 'number';
    return cell;
  });
  const days = element(
    'table',
    undefined,
    element('thead', undefined, element('tr', undefined, ...titles)),
    element('tbody', undefined, ...parts.slice(6).map(day)),
  );
  const scroll = element('div', undefined, days);
  scroll.className = 'scroll';
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', now.days);

  return [
    element('h2', `${now.sheet} ${head.period}`),
    ...(isProved ? [] : [element('p', now.unchecked)]),
    facts([
      [now.closed_at, moment(head.closed_at)],
      [now.revision, head.revision],
    ]),
    showPart(
      'person',
      (person) =>
        facts([
          [now.name, person.name],
          [now.personnel_number, person.personnel_number],
          [now.at_company, person.company],
        ]),
      () => facts([[now.name, now.is_hidden]]),
    ),
    ...section(
      now.figures,
      showPart('figures', (figures) =>
        facts(
          ['target', 'worked', 'difference', 'carried', 'booked', 'balance'].map((name) => [
            now[name],
            duration(figures[name]),
          ]),
        ),
      ),
    ),
    ...section(now.days, scroll),
    element('p', now.zone(head.time_zone)),
    ...section(
      now.bookings,
      showPart('bookings', (rows) =>
        list(rows.map(({ date, kind, minutes }) => `${date}: ${now.kind[kind] ?? kind}, ${duration(minutes)}`)),
      ),
    ),
    ...section(
      now.sign_offs,
      showPart('sign_offs', (rows) =>
        list(rows.map(({ role, at, held }) => `${now.role[role] ?? role}: ${now.held[held ? 0 : 1]}, ${moment(at)}`)),
      ),
    ),
    ...section(
      now.steps,
      showPart('steps', (rows) =>
        list(
          rows.map(
            ({ step, at, reason }) => `${now.step[step] ?? step}, ${moment(at)}${reason === null ? '' : `: ${reason}`}`,
          ),
        ),
      ),
    ),
  ];
}

/** One function a screen. Sizes are those of 1024 by 600 and grow with the display. */
import type { Act } from '../../src/screen/machine.js';
import type { Countdown, Frame, Screen } from '../../src/screen/view.js';
import type { TerminalAction } from '../../src/terminal-api.js';
import { type Child, h, svg } from './element.js';
import * as icons from './icons.js';
import type { Words } from './words.js';

export interface Drawn {
  readonly root: HTMLElement;
  /** Changes the screen in place, so that a finger on it meets the same button; false if it must be drawn afresh. */
  readonly update?: (next: Frame) => boolean;
  /** Called ten times a second. */
  readonly tick: () => void;
  readonly focus?: (() => void) | undefined;
  /** Announced once. */
  readonly say?: string | undefined;
}

export interface Hands {
  send(act: Act): void;
  /** The service's clock, milliseconds since 1970. */
  now(): number;
}

type Of<Name extends Screen['name']> = Extract<Screen, { name: Name }>;

interface Context<S extends Screen = Screen> {
  readonly frame: Frame;
  readonly screen: S;
  readonly text: Words;
  readonly hands: Hands;
  /** Filled by the parts that change with time. */
  readonly ticks: (() => void)[];
}

interface Part {
  readonly main: HTMLElement;
  /** At the right of the state line; the time if absent. */
  readonly hint?: Child;
  readonly className?: string;
  readonly update?: (next: Frame) => boolean;
  readonly focus?: () => void;
  readonly say?: string;
}

export function draw(frame: Frame, text: Words, hands: Hands): Drawn {
  const ticks: (() => void)[] = [];
  const context = { frame, text, hands, ticks };
  const part = drawScreen({ ...context, screen: frame.screen });
  const root = h(
    'div',
    { class: `screen ${frame.screen.name} ${part.className ?? ''}` },
    part.main,
    stateLine(context, part),
  );
  const drawnFor = structure(frame);
  let last = frame;
  return {
    root,
    update: (next) => {
      if (structure(next) !== drawnFor) return false;
      const same = next.screen === last.screen || part.update?.(next) === true || equal(next.screen, last.screen);
      last = next;
      return same;
    },
    tick: () => {
      for (const tick of ticks) tick();
    },
    focus: part.focus,
    say: part.say,
  };
}

/** What the frame around a screen depends on. */
function structure({ visit, language, theme, line, offlineSince, place, screen }: Frame): string {
  return JSON.stringify([visit, language, theme, line, offlineSince, place, screen.name]);
}

/** Whether nothing but the time to run has changed. */
function equal(next: Screen, last: Screen): boolean {
  const timeless = (screen: Screen) => JSON.stringify({ ...screen, closes: undefined, countdown: undefined });
  return timeless(next) === timeless(last);
}

function drawScreen(context: Context): Part {
  const { screen } = context;
  switch (screen.name) {
    case 'starting':
      return idle(context, context.text.starting);
    case 'idle': {
      const { hold, issuing } = context.text;
      return idle(context, screen.issuing === undefined ? hold : issuing(screen.issuing));
    }
    case 'checking':
      return still(context);
    case 'offline':
      return offline({ ...context, screen });
    case 'no_reader':
      return noReader(context);
    case 'unpaired':
      return unpaired({ ...context, screen });
    case 'confirming':
      return confirming({ ...context, screen });
    case 'choice':
      return choice({ ...context, screen });
    case 'pin':
      return pin({ ...context, screen });
    case 'choose_pin':
      return choosePin({ ...context, screen });
    case 'saving_pin':
      return savingPin({ ...context, screen });
    case 'pin_chosen':
      return notice(context, 'good', icons.tick(), context.text.pin_chosen, ['', context.text.issued_text]);
    case 'pin_not_chosen':
      return notice(context, 'warn', icons.warning(), context.text.pin_not_chosen, context.text.pin_not_chosen_text);
    case 'saving':
      return saving({ ...context, screen });
    case 'done':
      return done({ ...context, screen });
    case 'account':
      return account({ ...context, screen });
    case 'offline_choice':
      return offlineChoice(context);
    case 'offline_saved':
      return offlineSaved({ ...context, screen });
    case 'issued':
      return notice(context, 'good', icons.tick(), context.text.issued, ['', context.text.issued_text]);
    case 'refused':
      return notice(context, 'bad', icons.octagon(), context.text.refused, context.text.refused_text);
    case 'removed':
      return notice(context, 'warn', icons.warning(), context.text.removed, context.text.removed_text);
    case 'locked':
      return notice(context, 'warn', icons.lock(), context.text.locked, context.text.locked_text);
    case 'unsure':
      return notice(context, 'warn', icons.warning(), context.text.unsure, context.text.unsure_text);
    case 'failed': {
      const { not_stamped, nothing_stamped, failed } = context.text;
      return notice(context, 'warn', icons.warning(), not_stamped, [nothing_stamped, failed[screen.why]]);
    }
  }
}

// ---- parts

function stateLine({ frame, text, ticks, hands }: Omit<Context, 'screen'>, { hint }: Part): HTMLElement {
  const { line, place, service, offlineSince } = frame;
  const [icon, state] = {
    starting: [icons.ring(), text.starting],
    unpaired: [icons.ring(), text.not_paired],
    confirming: [icons.ring(), text.not_confirmed],
    online: [icons.tick(), text.online],
    offline: [
      icons.slashed(),
      offlineSince === undefined ? text.offline : text.offline_since(clock(frame, offlineSince)),
    ],
  }[line] as [SVGElement, string];
  const where = line === 'unpaired' || line === 'confirming' ? service : place;
  return h(
    'footer',
    { class: `line ${line}` },
    icon,
    h('strong', {}, state),
    where !== undefined && h('span', { class: 'where' }, `· ${where}`),
    h('span', { class: 'hint' }, hint ?? ticking('span', ticks, () => clock(frame, hands.now()))),
  );
}

function ticking(name: string, ticks: (() => void)[], text: () => string, className?: string): HTMLElement {
  const element = h(name, { class: className });
  ticks.push(() => {
    const next = text();
    if (element.textContent !== next) element.textContent = next;
  });
  return element;
}

function button(
  className: string,
  act: (() => void) | undefined,
  attributes: Readonly<Record<string, string | undefined>>,
  ...children: readonly Child[]
): HTMLElement {
  return h('button', { type: 'button', class: className, click: act, ...attributes }, ...children);
}

const cancelButton = ({ text, hands }: Context) =>
  button('plain', () => hands.send({ kind: 'cancel' }), { 'data-cancel': '' }, icons.cross(), text.cancel);

const accountButton = ({ text, hands }: Context) =>
  button('plain', () => hands.send({ kind: 'account' }), {}, icons.lock(), text.account);

const locale = ({ language }: Frame) => (language === 'de' ? 'de-DE' : 'en-GB');

function clock(frame: Frame, instant: number): string {
  const { timeZone } = frame;
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(
    instant,
  );
}

/** Since when somebody is in: a stamp of another day, forgotten or of a night shift, says which. */
function since(frame: Frame, instant: number, now: number): string {
  if (date(frame, instant) === date(frame, now)) return clock(frame, instant);
  const { timeZone } = frame;
  const day =
    now - instant < 6 * 86_400_000 ? ({ weekday: 'short' } as const) : ({ day: 'numeric', month: 'short' } as const);
  return `${new Intl.DateTimeFormat(locale(frame), { ...day, timeZone }).format(instant)} ${clock(frame, instant)}`;
}

function date(frame: Frame, instant: number): string {
  const { timeZone } = frame;
  return new Intl.DateTimeFormat(locale(frame), { weekday: 'long', day: 'numeric', month: 'long', timeZone }).format(
    instant,
  );
}

function hours(minutes: number): string {
  const whole = Math.floor(Math.abs(minutes));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} h`;
}

/** Runs from full to empty; the bar of a screen that closes. */
function bar({ ticks }: Context, { left, total }: Countdown): HTMLElement {
  const filled = h('div', { class: 'filled' });
  const rest = countingDown(left);
  ticks.push(() => {
    filled.style.width = `${(100 * rest()) / total}%`;
  });
  return h('div', { class: 'bar', 'aria-hidden': 'true' }, filled);
}

/** Milliseconds that are left, by whole seconds for people who want no motion. */
function countingDown(left: number): () => number {
  const end = performance.now() + left;
  return () => {
    const rest = Math.max(0, end - performance.now());
    return reduced.matches ? Math.ceil(rest / 1_000) * 1_000 : rest;
  };
}

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

function closing({ ticks, text }: Context, { left }: Countdown): HTMLElement {
  const rest = countingDown(left);
  return ticking('span', ticks, () => text.closes(Math.max(1, Math.ceil(rest() / 1_000))));
}

function languageButton({ text, hands, frame }: Context): HTMLElement {
  return button(
    'plain language',
    () => hands.send({ kind: 'language' }),
    { lang: frame.language === 'de' ? 'en' : 'de' },
    text.other_language,
  );
}

/** Text that never moves burns into the display: every ten minutes it stands two pixels elsewhere. */
function shifting(element: HTMLElement, { ticks, hands }: Context): HTMLElement {
  ticks.push(() => {
    const turn = Math.floor(hands.now() / 600_000) % 4;
    const x = turn === 1 || turn === 2 ? 2 : 0;
    const y = turn >= 2 ? 2 : 0;
    element.style.translate = `${x}px ${y}px`;
  });
  return element;
}

function bigClock(context: Context): readonly HTMLElement[] {
  const { frame, ticks, hands } = context;
  return [
    ticking('div', ticks, () => clock(frame, hands.now()), 'clock'),
    ticking('div', ticks, () => date(frame, hands.now()), 'date'),
  ];
}

function withPanel(context: Context, ...children: readonly Child[]): HTMLElement {
  return h(
    'main',
    {},
    shifting(h('div', { class: 'front' }, ...children), context),
    h('div', { class: 'panel' }, h('div', { class: 'way' }, icons.badgeHint()), languageButton(context)),
  );
}

// ---- screens

function idle(context: Context, prompt: string): Part {
  const heading = h('h1', { class: prompt.length > 22 ? 'prompt long' : 'prompt' }, prompt);
  return { main: withPanel(context, ...bigClock(context), heading), hint: '' };
}

function still(context: Context): Part {
  const { text } = context;
  const main = h(
    'main',
    {},
    h('div', { class: 'front', role: 'status' }, ...bigClock(context), h('h1', { class: 'prompt' }, text.hold_still)),
    h('div', { class: 'panel' }, h('div', { class: 'way still' }, icons.badgeHint())),
  );
  return { main, hint: '' };
}

function offline(context: Context<Of<'offline'>>): Part {
  const { screen, text } = context;
  const { stopped, records } = screen;
  const name = stopped ? text.stopped : text.offline;
  const box = h(
    'div',
    { class: 'box' },
    h(
      'div',
      { class: 'row' },
      h('strong', { class: 'kind' }, icons.slashed(), name),
      screen.waiting > 0 && h('strong', {}, text.stamps_wait(screen.waiting)),
    ),
    h('p', {}, records ? (stopped ? text.stopped_text : text.offline_text) : text.offline_not_here),
  );
  const main = withPanel(context, ...bigClock(context), box, h('h1', { class: 'prompt' }, records ? text.hold : name));
  return { main, hint: '' };
}

function noReader(context: Context): Part {
  const { text } = context;
  const main = h(
    'main',
    {},
    shifting(
      h(
        'div',
        { class: 'front' },
        ...bigClock(context),
        h('h1', { class: 'prompt' }, text.no_reader),
        h('p', { class: 'advice' }, text.no_reader_text),
      ),
      context,
    ),
    h('div', { class: 'panel' }, h('div', { class: 'way missing' }, icons.slashed()), languageButton(context)),
  );
  return { main, hint: '' };
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function unpaired(context: Context<Of<'unpaired'>>): Part {
  const { text, hands } = context;
  let code = '';
  let busy = false;
  const message = h('p', { class: 'from', role: 'status' });
  const cells = Array.from({ length: 8 }, () => h('span', { class: 'cell' }));
  const field = h(
    'div',
    { class: 'cells', role: 'img' },
    ...cells.slice(0, 4),
    h('span', { class: 'dash' }, '-'),
    ...cells.slice(4),
  );
  const confirm = button(
    'key confirm',
    () => {
      if (code.length === 8 && !busy) hands.send({ kind: 'code', code: `${code.slice(0, 4)}-${code.slice(4)}` });
    },
    { 'data-confirm': '' },
    text.pair,
  );
  const refresh = (): void => {
    for (const [index, cell] of cells.entries()) {
      cell.textContent = code[index] ?? '';
      cell.classList.toggle('next', index === code.length);
    }
    field.setAttribute('aria-label', text.code_label(code.length));
    confirm.setAttribute('aria-disabled', String(code.length < 8 || busy));
  };
  const type = (letter: string): void => {
    if (busy || code.length === 8) return;
    code += letter;
    refresh();
  };
  const remove = (): void => {
    if (!busy) code = code.slice(0, -1);
    refresh();
  };
  const hear = (screen: Of<'unpaired'>): void => {
    busy = screen.busy;
    if (!busy && screen.message !== undefined) code = '';
    message.textContent =
      screen.message === 'wrong'
        ? text.code_wrong
        : screen.message === 'unreachable'
          ? text.code_unreachable
          : text.pairing_code_from;
    message.classList.toggle('wrong', screen.message !== undefined);
    refresh();
  };
  hear(context.screen);
  const keys = [...alphabet].map((letter) => button('key', () => type(letter), { 'data-key': letter }, letter));
  const main = h(
    'main',
    {},
    h('div', { class: 'head' }, h('div', {}, h('h1', {}, text.pairing_code), message), field),
    h(
      'div',
      { class: 'keys' },
      ...keys,
      button('key', remove, { 'data-key': 'Backspace', 'aria-label': text.delete_last }, icons.backspace()),
      confirm,
    ),
  );
  return {
    main,
    hint: '',
    update: ({ screen }) => {
      if (screen.name === 'unpaired') hear(screen);
      return true;
    },
  };
}

function confirming(context: Context<Of<'confirming'>>): Part {
  const { text, screen } = context;
  const [before, word, after] = text.same_fingerprint;
  const groups = screen.fingerprint
    .split('-')
    .flatMap((group, index) => [
      ...(index === 0 ? [] : [h('span', { class: 'dash', 'aria-hidden': 'true' })]),
      h('span', {}, group),
    ]);
  const main = h(
    'main',
    {},
    h(
      'div',
      { class: 'head' },
      h('h1', {}, text.pair_terminal),
      screen.code !== undefined &&
        h('p', { class: 'code' }, icons.tick(), `${text.code} `, h('strong', {}, screen.code)),
    ),
    h('p', { class: 'question' }, before, h('strong', {}, word), after),
    h('p', { class: 'fingerprint' }, ...groups),
    h('p', { class: 'compare' }, text.compare),
    h(
      'div',
      { class: 'foot' },
      h('p', { class: 'waiting', role: 'status' }, dots(), text.waiting),
      cancelButton(context),
    ),
  );
  return { main, hint: '' };
}

const dots = () => h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i'));

function choice(context: Context<Of<'choice'>>): Part {
  const { screen, text, frame, hands, ticks } = context;
  const left = screen.actions.find((action) => action === 'in' || action === 'out');
  const right = screen.actions.find((action) => action !== left);
  const forgotten = screen.state !== 'out' && screen.actions.includes('in');
  let running = screen.countdown && { rest: countingDown(screen.countdown.left), total: screen.countdown.total };
  let usual: HTMLElement | undefined;
  const ring = countdownRing();
  const hint = h('span', {}, text.touch_stops);

  const actionButton = (action: TerminalAction): HTMLElement => {
    const isUsual = action === screen.default;
    const more = isUsual
      ? text.hold_again
      : action === 'break_start'
        ? text.break_starts(clock(frame, hands.now()))
        : action === 'in' && forgotten
          ? text.new_day
          : undefined;
    const made = button(
      `action${isUsual ? ' usual' : ''}${text.action[action].length > 8 ? ' long' : ''}`,
      () => hands.send({ kind: 'act', action }),
      {},
      h(
        'span',
        { class: 'what' },
        h('span', { class: 'name' }, text.action[action]),
        more && h('span', { class: 'more' }, more),
      ),
      isUsual && running !== undefined ? ring.root : icons.actionIcon(action),
    );
    if (isUsual) usual = made;
    return made;
  };
  const actions = [left, right].flatMap((action) => (action === undefined ? [] : [actionButton(action)]));
  const stop = (): void => {
    running = undefined;
    if (screen.default !== undefined && ring.root.isConnected) ring.root.replaceWith(icons.actionIcon(screen.default));
    hint.textContent = '';
  };
  ticks.push(() => {
    if (running !== undefined) ring.show(running.rest(), running.total);
  });
  if (running === undefined) hint.textContent = '';
  const standing = h(
    'p',
    { class: `standing ${screen.state}` },
    icons.stateIcon(screen.state),
    screen.since === undefined || screen.state === 'out'
      ? h('strong', { class: 'only' }, text.state[screen.state])
      : h(
          'span',
          {},
          `${text.state[screen.state]} ${text.since} `,
          h('strong', {}, since(frame, screen.since, hands.now())),
          screen.state === 'in' && !forgotten && ' · ',
          screen.state === 'in' && !forgotten && h('strong', {}, hours((hands.now() - screen.since) / 60_000)),
        ),
  );
  const main = h(
    'main',
    {},
    h(
      'div',
      { class: 'head' },
      h('h1', {}, text.hello(screen.firstName)),
      ticking('span', ticks, () => clock(frame, hands.now()), 'time'),
    ),
    standing,
    forgotten && h('p', { class: 'note' }, text.forgotten),
    h('div', { class: 'actions' }, ...actions),
    h('div', { class: 'others' }, screen.account && accountButton(context), cancelButton(context)),
  );
  return {
    main,
    hint,
    update: ({ screen: next }) => {
      if (next.name !== 'choice') return false;
      if (next.countdown === undefined && running !== undefined) stop();
      return true;
    },
    focus: () => (usual ?? main.querySelector('button'))?.focus({ preventScroll: true }),
    ...(screen.countdown !== undefined && screen.default !== undefined
      ? { say: text.countdown(text.action[screen.default], Math.ceil(screen.countdown.left / 1_000)) }
      : {}),
  };
}

function countdownRing() {
  const length = 2 * Math.PI * 50;
  const filled = svg('circle', { class: 'filled', cx: '54', cy: '54', r: '50', 'stroke-dasharray': String(length) });
  const number = h('span', { class: 'number' });
  const root = h(
    'span',
    { class: 'countdown', 'aria-hidden': 'true' },
    svg('svg', { viewBox: '0 0 108 108' }, svg('circle', { class: 'empty', cx: '54', cy: '54', r: '50' }), filled),
    number,
  );
  return {
    root,
    show(left: number, total: number) {
      number.textContent = String(Math.ceil(left / 1_000));
      filled.style.strokeDashoffset = String(length * (1 - left / total));
    },
  };
}

function pin(context: Context<Of<'pin'>>): Part {
  const { screen, text } = context;
  const { firstName, wrong } = screen;
  const purpose = screen.purpose === 'account' ? text.account : text.action[screen.purpose];
  const problem =
    wrong !== undefined &&
    h(
      'span',
      {},
      text.pin_wrong,
      ...(wrong.triesLeft === undefined ? [] : [h('br'), text.tries_left(wrong.triesLeft)]),
    );
  return pinPad(context, { title: text.enter_pin, purpose: `${firstName} · ${purpose}`, problem });
}

function choosePin(context: Context<Of<'choose_pin'>>): Part {
  const { screen, text } = context;
  const { firstName, again, differs } = screen;
  return pinPad(context, {
    title: again ? text.choose_pin_again : text.choose_pin,
    purpose: `${firstName} · ${text.choose_pin_text}`,
    problem: differs && h('span', {}, text.pins_differ),
  });
}

/** Six dots and the keys for them. The digits leave with OK, and the dots never show them. */
function pinPad(
  context: Context,
  { title, purpose, problem }: { readonly title: string; readonly purpose: string; readonly problem: Child },
): Part {
  const { text, hands } = context;
  let typed = '';
  const dotRow = Array.from({ length: 6 }, () => h('i'));
  const row = h('div', { class: 'digits', role: 'img' }, ...dotRow);
  const confirm = button(
    'key confirm',
    () => {
      if (typed.length < 6) return;
      hands.send({ kind: 'pin', pin: typed });
      typed = '';
      refresh();
    },
    { 'data-confirm': '' },
    'OK',
  );
  const refresh = (): void => {
    for (const [index, dot] of dotRow.entries()) dot.classList.toggle('full', index < typed.length);
    row.setAttribute('aria-label', text.pin_digits(typed.length));
    confirm.setAttribute('aria-disabled', String(typed.length < 6));
  };
  const type = (digit: string): void => {
    if (typed.length < 6) typed += digit;
    refresh();
  };
  const remove = (): void => {
    typed = typed.slice(0, -1);
    refresh();
  };
  refresh();
  const digit = (name: string) => button('key', () => type(name), { 'data-key': name }, name);
  const main = h(
    'main',
    {},
    h(
      'div',
      { class: 'front' },
      h('h1', {}, title),
      h('p', { class: 'purpose' }, purpose),
      row,
      problem && h('p', { class: 'wrong', role: 'alert' }, icons.warning(), problem),
      cancelButton(context),
    ),
    h(
      'div',
      { class: 'pad' },
      ...[...'123456789'].map(digit),
      button('key', remove, { 'data-key': 'Backspace', 'aria-label': text.delete_last }, icons.backspace()),
      digit('0'),
      confirm,
    ),
  );
  return { main, className: 'pad-screen' };
}

function savingPin({ screen, text }: Context<Of<'saving_pin'>>): Part {
  const main = h(
    'main',
    {},
    h('p', { class: 'who' }, screen.firstName),
    h('h1', {}, text.choose_pin),
    h('p', { class: 'waiting', role: 'status' }, dots(), text.checking_answer),
  );
  return { main, className: 'saving' };
}

function saving(context: Context<Of<'saving'>>): Part {
  const { screen, text } = context;
  const what = screen.purpose === 'account' ? text.account_title : text.action[screen.purpose];
  const message = h('p', { class: 'waiting', role: 'status' }, dots(), screen.late ? text.checking_answer : '');
  const main = h(
    'main',
    {},
    h('p', { class: 'who' }, screen.firstName),
    h('h1', {}, what),
    screen.purpose === 'account' ? undefined : icons.actionIcon(screen.purpose),
    message,
  );
  return {
    main,
    update: ({ screen: next }) => {
      if (next.name !== 'saving' || next.purpose !== screen.purpose) return false;
      message.replaceChildren(dots(), next.late ? text.checking_answer : '');
      return true;
    },
  };
}

function done(context: Context<Of<'done'>>): Part {
  const { screen, text, frame } = context;
  const main = h(
    'main',
    {},
    h(
      'div',
      { class: 'head' },
      h('p', { class: 'who' }, icons.tick(), screen.firstName),
      screen.account && accountButton(context),
    ),
    h(
      'div',
      { class: 'result', role: 'status' },
      h('h1', {}, screen.repeat && h('span', { class: 'already' }, text.already), text.done[screen.action]),
      h('p', { class: 'time' }, clock(frame, screen.time)),
      icons.actionIcon(screen.action),
    ),
    screen.warning !== undefined && h('p', { class: 'caution' }, icons.warning(), screen.warning),
    bar(context, screen.closes),
  );
  const className = `full${screen.warning === undefined ? '' : ' warned'}${screen.repeat ? ' repeated' : ''}`;
  return { main, className, hint: closing(context, screen.closes) };
}

function account(context: Context<Of<'account'>>): Part {
  const { screen, text, frame } = context;
  const { worked_today_minutes, balance_minutes, vacation_days_left } = screen.info;
  const sign = balance_minutes < 0 ? '−' : '+';
  const row = (label: string, value: string) => h('div', { class: 'figure' }, h('dt', {}, label), h('dd', {}, value));
  const main = h(
    'main',
    {},
    h('h1', {}, screen.firstName),
    h(
      'dl',
      {},
      row(text.today, hours(worked_today_minutes)),
      row(text.balance, `${sign}${hours(balance_minutes)}`),
      row(text.vacation, text.days(days(frame, vacation_days_left), vacation_days_left === 1)),
    ),
    button('plain', () => context.hands.send({ kind: 'close' }), { 'data-cancel': '' }, text.close),
    bar(context, screen.closes),
  );
  return { main, hint: closing(context, screen.closes) };
}

function days(frame: Frame, count: number): string {
  const whole = Math.trunc(count);
  const half = count !== whole;
  const number = new Intl.NumberFormat(locale(frame)).format(whole);
  const sign = count < 0 && whole === 0 ? '−' : '';
  return half ? `${sign}${whole === 0 ? '' : number}½` : number;
}

function notice(
  context: Context,
  kind: 'good' | 'bad' | 'warn',
  icon: SVGElement,
  title: string,
  [first, second]: readonly string[],
): Part {
  const role = kind === 'good' ? 'status' : 'alert';
  const main = h(
    'main',
    { role: undefined },
    icon,
    h(
      'div',
      { role },
      h('h1', {}, title),
      h('p', {}, first !== undefined && first !== '' && h('strong', {}, first), ` ${second ?? ''}`),
      button('plain', () => context.hands.send({ kind: 'close' }), { 'data-cancel': '' }, context.text.close),
    ),
  );
  return { main, className: `notice ${kind}` };
}

function offlineChoice(context: Context): Part {
  const { text, hands } = context;
  const action = (name: TerminalAction) =>
    button(
      'action',
      () => hands.send({ kind: 'act', action: name }),
      {},
      h('span', { class: 'what' }, h('span', { class: 'name' }, text.action[name])),
      icons.actionIcon(name),
    );
  const main = h(
    'main',
    {},
    h('h1', {}, text.what),
    h('div', { class: 'actions' }, action('in'), action('break_start'), action('out'), action('break_end')),
    cancelButton(context),
  );
  return { main, focus: () => main.querySelector('button')?.focus({ preventScroll: true }) };
}

function offlineSaved(context: Context<Of<'offline_saved'>>): Part {
  const { screen, text, frame } = context;
  const main = h(
    'main',
    {},
    h(
      'div',
      { class: 'box', role: 'status' },
      h('p', { class: 'already' }, icons.slashed(), text.saved),
      h('h1', {}, text.done[screen.action]),
      h('p', { class: 'time' }, clock(frame, screen.time)),
      h('p', { class: 'approval' }, text.needs_approval),
    ),
    bar(context, screen.closes),
  );
  return { main, hint: closing(context, screen.closes) };
}

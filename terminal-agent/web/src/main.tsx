/** The page of the door: draws the agent's frames and reports touches. It decides nothing. */
import { render } from 'preact';
import './door.css';
import type { Act } from '../../src/screen/machine.js';
import type { SentFrame } from '../../src/screen/server.js';
import type { Frame } from '../../src/screen/view.js';
import { listenToKeys } from './keys.js';
import type { Door } from './parts.js';
import { announcement, CurrentScreen } from './screens.js';
import { playOnce } from './sound.js';
import { words } from './words.js';

const place = document.getElementById('screen')!;
const say = document.getElementById('say')!;
let frame: Frame | undefined;
/**
 * The arrival of the frame, in milliseconds since this page was opened: times go on from there, even if the clock of
 * the PC is set meanwhile.
 */
let arrival = 0;
let shownName = '';

function send(act: Act): void {
  if (frame === undefined) return;
  const body = JSON.stringify({ ...act, visit: frame.visit });
  // A lost touch is repeated by the finger.
  void fetch('/act', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);
}

function show(next: Frame): void {
  // The focus ring belongs to those who use the keys.
  if (frame !== undefined && frame.visit !== next.visit) delete document.body.dataset['keys'];
  frame = next;
  arrival = performance.now();
  const { lang, dataset } = document.documentElement;
  if (lang !== next.language) document.documentElement.lang = next.language;
  dataset['theme'] = next.theme === 'system' ? (prefersDark.matches ? 'dark' : 'light') : next.theme;
  dataset['reader'] = next.reader;
  draw(next);
  playOnce(next);
}

function draw(current: Frame): void {
  const elapsed = performance.now() - arrival;
  const door: Door = { frame: current, text: words[current.language], now: current.now + elapsed, elapsed, send };
  // By another key the whole screen goes, and every name with it.
  const key = `${current.visit} ${current.screen.name}`;
  render(<CurrentScreen key={key} door={door} />, place);
  if (key === shownName) return;
  shownName = key;
  say.textContent = announcement(door);
  if (/choice/.test(current.screen.name))
    (place.querySelector<HTMLElement>('.usual') ?? place.querySelector('button'))?.focus({ preventScroll: true });
}

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
setInterval(() => frame && draw(frame), 100);
listenToKeys();
// Any touch or key keeps the default action from being made.
for (const type of ['pointerdown', 'keydown'])
  addEventListener(type, () => {
    if (frame?.screen.name === 'choice' && frame.screen.countdown !== undefined) send({ kind: 'touch' });
  });

const frames = new EventSource('/frames');
let loadedVersion: string | undefined;
frames.addEventListener('message', ({ data }: MessageEvent<string>) => {
  const { version, ...next } = JSON.parse(data) as SentFrame;
  loadedVersion ??= version;
  // An upgrade has restarted the agent: this page is that of the version before.
  if (version === loadedVersion) show(next);
  else location.reload();
});
// The agent is gone: no name may stay, and nothing on the screen can be relied on.
frames.addEventListener('error', () => {
  if (frame === undefined) return;
  show({
    ...frame,
    now: frame.now + performance.now() - arrival,
    line: 'starting',
    played: undefined,
    screen: { name: 'starting' },
  });
});

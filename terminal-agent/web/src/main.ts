/** The page of the door: draws what the agent says and reports what is touched. It decides nothing. */
import './door.css';
import type { Act } from '../../src/screen/machine.js';
import type { Frame } from '../../src/screen/view.js';
import { type Drawn, draw } from './draw.js';
import { listenToKeys } from './keys.js';
import { playOnce } from './sound.js';
import { words } from './words.js';

const place = document.getElementById('screen')!;
const say = document.getElementById('say')!;
let frame: Frame | undefined;
let drawn: Drawn | undefined;
/** The service's clock less the milliseconds since this page was opened: the clock of the PC may be set meanwhile. */
let ahead = 0;

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
  ahead = next.now - performance.now();
  const { lang, dataset } = document.documentElement;
  if (lang !== next.language) document.documentElement.lang = next.language;
  dataset['theme'] = next.theme === 'system' ? (prefersDark.matches ? 'dark' : 'light') : next.theme;
  dataset['reader'] = next.reader;
  const text = words[next.language];
  if (drawn?.update?.(next) !== true) {
    // The whole screen goes, and every name with it.
    drawn = draw(next, text, { send, now: () => performance.now() + ahead });
    place.replaceChildren(drawn.root);
    say.textContent = drawn.say ?? '';
    drawn.focus?.();
  }
  drawn.tick();
  playOnce(next);
}

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
setInterval(() => drawn?.tick(), 100);
listenToKeys();
// Any touch or key keeps the default action from being made.
for (const type of ['pointerdown', 'keydown'])
  addEventListener(type, () => {
    if (frame?.screen.name === 'choice' && frame.screen.countdown !== undefined) send({ kind: 'touch' });
  });

const frames = new EventSource('/frames');
frames.addEventListener('message', ({ data }: MessageEvent<string>) => show(JSON.parse(data) as Frame));
// The agent is gone: nobody's name stays, and nothing on the screen can be relied on.
frames.addEventListener('error', () => {
  if (frame === undefined) return;
  show({ ...frame, now: performance.now() + ahead, line: 'starting', played: undefined, screen: { name: 'starting' } });
});

// Stays connected: npx tsx stay-connected.mts STATE_FILE, with BASE_URL and API_KEY. Needs the package ws.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import WebSocket from 'ws';

const { BASE_URL: base = '', API_KEY: key } = process.env;
const file = process.argv[2] ?? 'state';

/** The id of the last event handled. In production: stored with your own effect, in one transaction. */
function position(): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function store(position: string) {
  writeFileSync(`${file}.new`, position);
  renameSync(`${file}.new`, file);
}

let newest = 0;

function handle(event: { id: string; sequence: number; type: string }) {
  console.log(`${event.sequence} ${event.type}`);
  store(event.id);
  newest = event.sequence;
}

/** Events say what happens from now on; what is so far is in the lists. Replace your copy here (synchronise.mts). */
function readListsInFull() {
  console.error('read the lists in full');
}

let pause = 1_000;

function connect() {
  const url = new URL('/api/v1/extension/connect', base.replace(/^http/, 'ws'));
  const after = position();
  if (after !== undefined) url.searchParams.set('after', after);
  const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${key}` }, perMessageDeflate: false });
  // The service pings every 30 seconds. Silence means a dead connection.
  let alive = setTimeout(() => socket.terminate(), 60_000);
  const heard = () => {
    clearTimeout(alive);
    alive = setTimeout(() => socket.terminate(), 60_000);
  };
  socket.on('ping', heard);
  socket.on('message', (text) => {
    heard();
    const message = JSON.parse(String(text));
    if (message.type === 'hello') {
      pause = 1_000;
      if (after === undefined) {
        // New here, or history changed. Connected first: nothing is lost between the lists and the events.
        readListsInFull();
        store(message.position);
      }
      console.log('ready');
    }
    // An event may come again after a lost connection: it is handled once.
    if (message.type === 'event' && message.event.sequence > newest) handle(message.event);
  });
  // No connection: 401, 403, 404; 410 if `after` is too old, or belongs to history that was replaced.
  socket.on('unexpected-response', (_request, response) => {
    console.error(`refused with ${response.statusCode}`);
    if (response.statusCode === 410) rmSync(file);
    else if ((response.statusCode ?? 500) < 500 && response.statusCode !== 429) process.exit(1);
    socket.terminate();
  });
  socket.on('error', (error) => console.error(error.message));
  socket.on('close', (code) => {
    clearTimeout(alive);
    // The key is gone, the mode was changed, or the client is at fault: trying again would not help.
    if ([1002, 1007, 1008, 1009, 4401, 4403].includes(code)) process.exit(1);
    setTimeout(connect, pause * (0.5 + Math.random()));
    pause = Math.min(30_000, pause * 2);
  });
}

connect();

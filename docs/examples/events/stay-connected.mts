// Stays connected: npx tsx stay-connected.mts STATE_FILE, with BASE_URL and API_KEY. Needs the package ws.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import WebSocket from 'ws';

const { BASE_URL: base = '', API_KEY: key } = process.env;
const file = process.argv[2] ?? 'state';

/** The sequence of the last event handled. In production: stored with your own effect, in one transaction. */
function lastHandled(): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function handle(event: { sequence: number; type: string }) {
  console.log(`${event.sequence} ${event.type}`);
  writeFileSync(`${file}.new`, String(event.sequence));
  renameSync(`${file}.new`, file);
}

let pause = 1_000;

function connect() {
  const url = new URL('/api/v1/extension/connect', base.replace(/^http/, 'ws'));
  const after = lastHandled();
  if (after !== undefined) url.searchParams.set('after', String(after));
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
      // New here: begin with what comes now.
      if (lastHandled() === undefined) writeFileSync(file, String(message.last_sequence));
      console.log('ready');
    }
    if (message.type !== 'event') return;
    // An event may come again: it is acknowledged, and handled once.
    if (message.event.sequence > (lastHandled() ?? 0)) handle(message.event);
    socket.send(JSON.stringify({ type: 'ack', envelope_id: message.envelope_id }));
  });
  // No connection: 401, 403, 404; 410 if `after` is too old. Then read the list of events first (pull.sh).
  socket.on('unexpected-response', (_request, response) => {
    console.error(`refused with ${response.statusCode}`);
    if ((response.statusCode ?? 500) < 500 && response.statusCode !== 429) process.exit(1);
    socket.terminate();
  });
  socket.on('error', (error) => console.error(error.message));
  socket.on('close', (code) => {
    clearTimeout(alive);
    // The key is gone, the mode was changed, or the client is at fault: trying again would not help.
    if ([1002, 1003, 1007, 1008, 1009, 4401, 4403, 4409].includes(code)) process.exit(1);
    setTimeout(connect, pause * (0.5 + Math.random()));
    pause = Math.min(30_000, pause * 2);
  });
}

connect();

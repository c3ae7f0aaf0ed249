// Tells a chat who comes and goes, and obeys /clock in: npx tsx chat-bot.mts people.json, with the settings below.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';

const { BASE_URL, API_KEY, WEBHOOK_SECRET = '', CHAT_URL = '', CHAT_TOKEN, PORT = '3000' } = process.env;
// Users of the chat with the ids of people: { "jana": 1 }.
const people = Object.entries(JSON.parse(readFileSync(process.argv[2] ?? 'people.json', 'utf8')));
const json = { 'Content-Type': 'application/json' };
// In production: a table with a unique index.
const told = new Set<string>();

function isGenuine({ headers }: IncomingMessage, body: Buffer): boolean {
  const header = (name: string) => String(headers[`webhook-${name}`] ?? '');
  const time = header('timestamp');
  if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const hmac = createHmac('sha256', Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64'));
  hmac.update(`${header('id')}.${time}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  const given = Array.from(header('signature').split(' '), (entry) => Buffer.from(entry));
  return given.some((entry) => entry.length === expected.length && timingSafeEqual(entry, expected));
}

/** @returns the status for the service, which delivers again what was not told */
async function tell(body: Buffer): Promise<number> {
  const { id, type, data } = JSON.parse(body.toString());
  const user = type.startsWith('clock.') && people.find(([, person]) => person === data.clock_state.user_id)?.[0];
  if (!user || told.has(id)) return 204;
  const text = `@${user} is ${data.clock_state.state.replace('_', ' ')}`;
  const { ok } = await fetch(CHAT_URL, { method: 'POST', headers: json, body: JSON.stringify({ text }) });
  if (ok) told.add(id);
  return ok ? 204 : 503;
}

async function obey(form: URLSearchParams): Promise<string> {
  const person = people.find(([user]) => user === form.get('user_name'))?.[1];
  const verb = form.get('text');
  if (person === undefined) return 'Ask HR to link you to the time clock.';
  if (verb !== 'in' && verb !== 'out') return 'Say in or out.';
  const response = await fetch(`${BASE_URL}/api/v1/clock/${verb}`, {
    method: 'POST',
    // The chat numbers each command: one that it sends again stamps once.
    headers: { ...json, Authorization: `Bearer ${API_KEY}`, 'Idempotency-Key': form.get('trigger_id') ?? '' },
    body: JSON.stringify({ user_id: person }),
  });
  return response.ok ? 'Done.' : `Not done: ${((await response.json()) as { code: string }).code}`;
}

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const form = new URLSearchParams(body.toString());
  if (request.url === '/events' && isGenuine(request, body)) {
    response.writeHead(await tell(body).catch(() => 503)).end();
  } else if (request.url === '/command' && CHAT_TOKEN && form.get('token') === CHAT_TOKEN) {
    const text = await obey(form).catch(() => 'No answer: try again.');
    response.writeHead(200, json).end(JSON.stringify({ text }));
  } else response.writeHead(401).end();
}).listen(Number(PORT), '127.0.0.1', () => console.log('ready'));

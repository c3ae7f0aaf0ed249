// Receives webhooks: npx tsx receiver.mts, with WEBHOOK_SECRET (whsec_…) and PORT.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';

const { WEBHOOK_SECRET: secret = '', PORT: port = '3000' } = process.env;
const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
// In production: two tables with a unique index, in the database of your own effects.
const handled = new Set<string>();
const epochs = new Set<string>();

/** The installation may have lost its last changes, which your copy still holds: replace it here (synchronise.mts). */
function resynchronise() {
  console.log('history changed: read the lists in full');
}

function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const header = (name: string) => String(headers[`webhook-${name}`] ?? '');
  const time = header('timestamp');
  if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const expected = createHmac('sha256', key)
    .update(`${header('id')}.${time}.`)
    .update(body)
    .digest();
  return header('signature')
    .split(' ')
    .some((entry) => {
      const given = Buffer.from(entry.slice('v1,'.length), 'base64');
      return entry.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
    });
}

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  // The bytes as they came, before anything parses them.
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return void response.writeHead(400).end();
  const event = JSON.parse(body.toString()) as { id: string; sequence: number; epoch: string; type: string };
  if (!epochs.has(event.epoch)) {
    if (epochs.size > 0) resynchronise();
    epochs.add(event.epoch);
  }
  if (!handled.has(event.id)) {
    handled.add(event.id);
    console.log(`${event.sequence} ${event.type}`);
  }
  // Unknown types are accepted too.
  response.writeHead(204).end();
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));

// Receives webhooks: node receiver.mjs, with WEBHOOK_SECRET (whsec_…) and PORT.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET: secret, PORT: port = '3000' } = process.env;
const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
// In production: a table with a unique index, in the database of your own effects.
const handled = new Set();

function isGenuine(headers, body) {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatures = '' } = headers;
  if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > 300) return false;
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(' ').some((entry) => {
    const given = Buffer.from(entry.slice('v1,'.length), 'base64');
    return entry.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  // The bytes as they came, before anything parses them.
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return response.writeHead(400).end();
  const event = JSON.parse(body);
  if (!handled.has(event.id)) {
    handled.add(event.id);
    console.log(`${event.sequence} ${event.type}`);
  }
  // Unknown types are accepted too.
  response.writeHead(204).end();
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));

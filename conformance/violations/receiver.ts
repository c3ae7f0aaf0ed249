/** Receivers of webhooks: one that is right, and those that break a requirement. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseWebhook } from '../peers/receiver.js';
import { judgeReceiver, receiverRequirements, senderTo } from '../roles/receiver.js';
import { secret } from './functions.js';
import { openProxy } from './proxy.js';
import type { Violation } from './rows.js';

/** @returns ids of the requirements that a receiver with these violations breaks */
export async function namedBy(violations: readonly Violation[]): Promise<readonly string[]> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const fault = refuseWebhook(request.headers, Buffer.concat(pieces), secret, Date.now());
    response.writeHead(fault === undefined ? 204 : 401).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await openProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  proxy.commit(violations);
  // What answers slowly is judged by its own requirement alone.
  const slow = violations.find((violation) => violation.slow);
  const chosenRequirements = receiverRequirements.filter(({ id }) => slow === undefined || id === slow.breaks);
  // The pieces of a slow body come soon after each other.
  const results = await judgeReceiver(senderTo(`${proxy.url}/`, secret, 15), undefined, chosenRequirements);
  await proxy.close();
  server.closeAllConnections();
  server.close();
  return results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);
}

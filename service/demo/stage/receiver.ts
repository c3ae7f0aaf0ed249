/**
 * Stands for a customer's receiver of webhooks: checks each signature with the library that Standard Webhooks
 * publishes.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Developer } from './scene.js';

type Received = NonNullable<Developer['webhook']>;

/** @param body the received one, byte for byte */
export function receive(extension: string, secret: string, headers: IncomingHttpHeaders, body: string): Received {
  const header = (name: string) => String(headers[name] ?? '');
  const delivery = {
    extension,
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
  };
  try {
    const event = new Webhook(secret).verify(body, {
      'webhook-id': delivery.id,
      'webhook-timestamp': delivery.timestamp,
      'webhook-signature': delivery.signature,
    }) as { type: string };
    return { ...delivery, type: event.type, valid: true };
  } catch {
    return { ...delivery, type: '', valid: false };
  }
}

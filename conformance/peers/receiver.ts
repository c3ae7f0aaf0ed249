/** A receiver of webhooks: verifies Standard Webhooks 1.0 and answers as instructed. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NotArrived } from '../kit/outcome.js';

export interface Delivery {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export function signWebhook(secret: string, id: string, timestamp: string, body: Buffer | string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** @returns why it is refused, or undefined */
export function refuseWebhook(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
  secret: string,
  now: number,
): string | undefined {
  const [id, timestamp, signatures] = [
    headers['webhook-id'],
    headers['webhook-timestamp'],
    headers['webhook-signature'],
  ];
  if (typeof id !== 'string' || id === '') return 'webhook-id is missing';
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is no number';
  if (Math.abs(now / 1_000 - Number(timestamp)) > 300) return 'webhook-timestamp is more than five minutes away';
  const expectedSignature = Buffer.from(signWebhook(secret, id, timestamp, body));
  const signatureList = String(signatures ?? '').split(' ');
  const fits = signatureList.some((entry) => {
    const signature = Buffer.from(entry);
    return signature.length === expectedSignature.length && timingSafeEqual(signature, expectedSignature);
  });
  return fits ? undefined : 'no signature matches';
}

export interface Receiver {
  readonly url: string;
  readonly deliveries: Delivery[];
  /** What a delivery is answered with; 204 unless this says otherwise. */
  answer: (delivery: Delivery) => { readonly status: number; readonly headers?: Record<string, string> } | undefined;
  /** Resolves when a delivery fits. @throws NotArrived after the seconds */
  waitForDelivery(fits: (delivery: Delivery) => boolean, seconds: number): Promise<Delivery>;
  close(): Promise<void>;
}

/** @param arrives what becomes of a delivery on its way: itself, unless the kit is tested by breaking things */
export async function openReceiver(
  arrives: (delivery: Delivery) => readonly Delivery[] = (delivery) => [delivery],
): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const listeners = new Set<(delivery: Delivery) => void>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const delivery = {
        at: Date.now(),
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      };
      const { status, headers } = receiver.answer(delivery) ?? { status: 204 };
      // A connection that idles may close while the next delivery begins.
      response.writeHead(status, { ...headers, connection: 'close' }).end();
      for (const arrival of arrives(delivery)) {
        deliveries.push(arrival);
        for (const listener of listeners) listener(arrival);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const receiver: Receiver = {
    url,
    deliveries,
    answer: () => undefined,
    waitForDelivery(fits, seconds) {
      const delivery = deliveries.find(fits);
      if (delivery !== undefined) return Promise.resolve(delivery);
      return new Promise((resolve, reject) => {
        const late = () => {
          listeners.delete(listener);
          reject(new NotArrived(`no such delivery within ${seconds} s; ${deliveries.length} others came`));
        };
        // While others arrive it may stand behind them: then it has the same time once more.
        let timer = setTimeout(() => {
          const last = deliveries.at(-1)?.at ?? 0;
          if (Date.now() - last < 5_000) timer = setTimeout(late, seconds * 1_000);
          else late();
        }, seconds * 1_000);
        const listener = (delivery: Delivery) => {
          if (!fits(delivery)) return;
          clearTimeout(timer);
          listeners.delete(listener);
          resolve(delivery);
        };
        listeners.add(listener);
      });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

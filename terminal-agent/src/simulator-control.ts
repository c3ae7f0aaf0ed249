import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { type Fault, readFaults, UnknownFault } from '../simulator/faults.js';
import { type CardFolder, NoSuchCard } from './card-folder.js';
import type { Choice } from './choose-action.js';
import { ConfigurationFaults } from './config.js';
import { doorText } from './door-text.js';
import { readJson } from './read-json.js';
import type { SimulatedReader } from './reader/simulated.js';
import type { Outcome } from './relay.js';

export interface SimulatorControl {
  readonly port: number;
  /** The stamp for the card that is held there, if the tool named one. */
  choice(): Choice;
  /** Reports the outcome of the card that is held there. */
  report(outcome: Outcome): void;
  close(): Promise<void>;
}

const request = z.union(
  [
    z.strictObject({
      present: z.string(),
      action: z.enum(['in', 'out', 'break_start', 'break_end']).optional(),
      pin: z.string().optional(),
      fault: z.string().max(200).optional(),
      wait: z.boolean().optional(),
    }),
    z.strictObject({ remove: z.literal(true) }),
  ],
  'must be {"present": "<card>"} or {"remove": true}',
);
type Present = Extract<z.infer<typeof request>, { present: string }>;

const maxBodyBytes = 4_096;

/**
 * Presents simulated cards on behalf of tools: `POST /` with one JSON object, on the loopback address only. Requests
 * that browsers make for web pages are refused.
 *
 * @param port 0 for any free one.
 * @param defaultFaults faults of every card that is held there without any of its own.
 * @param again a card may be held there while the last one is served: people do so at a screen.
 * @throws {ConfigurationFaults} if the port is taken.
 */
export async function openSimulatorControl(
  port: number,
  folder: CardFolder,
  reader: SimulatedReader,
  timeZone: string,
  { defaultFaults = [], again = false }: { readonly defaultFaults?: readonly Fault[]; readonly again?: boolean } = {},
): Promise<SimulatorControl> {
  let present: Present | undefined;
  let busy = false;
  let last: object | null = null;
  let waiters: ((answer: object) => void)[] = [];

  const put = async (request: Present): Promise<readonly [number, object]> => {
    if (busy && !again) return [409, { error: 'The card in the field is still being served.' }];
    busy = true;
    try {
      const card = await folder.open(
        request.present,
        request.fault === undefined ? defaultFaults : readFaults(request.fault),
      );
      present = request;
      const outcome = new Promise<object>((resolve) => waiters.push(resolve));
      reader.place(card);
      return request.wait === true
        ? [200, { present: request.present, ...(await outcome) }]
        : [202, { present: request.present }];
    } catch (error) {
      busy = false;
      if (error instanceof NoSuchCard) return [404, { error: error.message }];
      if (error instanceof UnknownFault) return [400, { error: error.message }];
      throw error;
    }
  };

  const answer = async (incoming: IncomingMessage): Promise<readonly [number, object]> => {
    const host = incoming.headers.host ?? '';
    if (incoming.headers.origin !== undefined || !/^(localhost|127\.0\.0\.1)(:|$)/.test(host))
      return [403, { error: 'This port is for tools on this machine.' }];
    if (incoming.url !== '/') return [404, { error: 'There is only /.' }];
    if (incoming.method === 'GET') return [200, { present: present?.present ?? null, busy, last }];
    if (incoming.method !== 'POST') return [405, { error: 'GET or POST.' }];
    const result = request.safeParse(await readJson(incoming, maxBodyBytes));
    if (!result.success)
      return [400, { error: 'Send {"present": "<card>", "action"?, "pin"?, "fault"?, "wait"?} or {"remove": true}.' }];
    if ('present' in result.data) return put(result.data);
    present = undefined;
    return [200, { removed: reader.take() }];
  };

  const server = createServer((incoming, outgoing) => {
    answer(incoming).then(
      ([status, body]) => send(outgoing, status, body),
      (error: unknown) => send(outgoing, 500, { error: String(error) }),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve)).catch(
    (error: unknown) => {
      throw new ConfigurationFaults([`SIMULATOR_PORT ${port} cannot be used: ${(error as Error).message}`]);
    },
  );

  return {
    port: (server.address() as AddressInfo).port,
    choice: () =>
      present?.action && { action: present.action, ...(present.pin === undefined ? {} : { pin: present.pin }) },
    report(outcome) {
      busy = false;
      last = presentOutcome(outcome, timeZone);
      const waiter = waiters;
      waiters = [];
      for (const resolve of waiter) resolve(last);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An outcome as tools read it. */
function presentOutcome(outcome: Outcome, timeZone: string): object {
  const text = doorText(outcome, timeZone);
  switch (outcome.kind) {
    case 'stamped':
      return {
        outcome: outcome.kind,
        text,
        first_name: outcome.firstName,
        action: outcome.action,
        state: outcome.stamp.state,
        server_time: outcome.stamp.server_time,
      };
    case 'refused':
      return { outcome: outcome.kind, text, code: outcome.code };
    case 'recorded_offline':
      return { outcome: outcome.kind, text, action: outcome.action };
    default:
      return { outcome: outcome.kind, text };
  }
}

function send(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}

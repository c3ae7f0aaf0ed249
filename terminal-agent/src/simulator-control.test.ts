import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { factoryCard } from '../simulator/card-file.js';
import { type Fault, readFaults } from '../simulator/faults.js';
import { type CardFolder, NoSuchCard } from './card-folder.js';
import { type SimulatedReader, simulatedReader } from './reader/simulated.js';
import type { Outcome } from './relay.js';
import { openSimulatorControl, type SimulatorControl } from './simulator-control.js';

const outcome: Outcome = {
  kind: 'stamped',
  firstName: 'Ada',
  action: 'in',
  stamp: { state: 'in', server_time: '2026-11-23T07:03:59Z', warnings: [] },
};
let openedFaults: (readonly Fault[])[];
const folder: CardFolder = {
  open(name, faults = []) {
    openedFaults.push(faults);
    if (name !== 'ada') return Promise.reject(new NoSuchCard(`there is no card ${name}`));
    const card = factoryCard('desfire-ev3', Uint8Array.of(4, 1, 2, 3, 4, 5, 6), (length) => new Uint8Array(length));
    return Promise.resolve({ card, uid: card.memory.uid, store: () => Promise.resolve() });
  },
  create: () => Promise.reject(new Error('not here')),
};

let reader: SimulatedReader;
let control: SimulatorControl;
let events: string[];
beforeEach(async () => {
  reader = simulatedReader(() => Promise.resolve());
  events = [];
  openedFaults = [];
  reader.onCard(({ uid }) => events.push(`card ${Buffer.from(uid!).toString('hex')}`));
  reader.onRemoved(() => events.push('removed'));
  control = await openSimulatorControl(0, folder, reader, 'Europe/Berlin');
});
afterEach(() => control.close());

function send(
  body: unknown,
  options: { readonly method?: string; readonly path?: string; readonly headers?: Record<string, string> } = {},
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: control.port,
        path: options.path ?? '/',
        method: options.method ?? 'POST',
        headers: { 'content-type': 'application/json', ...options.headers },
      },
      (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode!, body: JSON.parse(text) }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

describe('the port of the simulated reader', () => {
  it('presents a card and takes it away', async () => {
    expect(await send({ present: 'ada' })).toEqual({ status: 202, body: { present: 'ada' } });
    expect(await send({ remove: true })).toEqual({ status: 200, body: { removed: true } });
    expect(await send({ remove: true })).toEqual({ status: 200, body: { removed: false } });
    expect(events).toEqual(['card 04010203040506', 'removed']);
  });

  it('the simulated reader answers with the outcome to those who wait', async () => {
    reader.onCard(() => setImmediate(() => control.report(outcome)));
    expect(await send({ present: 'ada', wait: true })).toEqual({
      status: 200,
      body: {
        present: 'ada',
        outcome: 'stamped',
        text: 'Ada: clocked in at 08:03',
        first_name: 'Ada',
        action: 'in',
        state: 'in',
        server_time: '2026-11-23T07:03:59Z',
      },
    });
    expect((await send('', { method: 'GET' })).body).toMatchObject({
      present: 'ada',
      busy: false,
      last: { outcome: 'stamped' },
    });
  });

  it('presents nothing while a card is being served', async () => {
    await send({ present: 'ada' });
    expect(await send({ present: 'ada' })).toMatchObject({ status: 409 });
    control.report({ kind: 'removed' });
    expect(await send({ present: 'ada' })).toMatchObject({ status: 202 });
    expect(events).toEqual(['card 04010203040506', 'removed', 'card 04010203040506']);
  });

  it('hands on what the person wants, as long as the card is there', async () => {
    await send({ present: 'ada', action: 'break_start', pin: '012345' });
    expect(control.choice()).toEqual({ action: 'break_start', pin: '012345' });
    await send({ remove: true });
    expect(control.choice()).toBeUndefined();
    control.report({ kind: 'removed' });
    await send({ present: 'ada' });
    expect(control.choice()).toBeUndefined();
  });

  it('presents a card with its faults, or with those that all have', async () => {
    await control.close();
    control = await openSimulatorControl(0, folder, reader, 'UTC', {
      defaultFaults: readFaults('slow:1:90'),
      again: true,
    });
    await send({ present: 'ada' });
    await send({ present: 'ada', fault: 'torn:3,relayed:120' });
    expect(openedFaults).toEqual([
      [{ kind: 'slow', at: 1, delay: 90 }],
      [
        { kind: 'torn', at: 3 },
        { kind: 'relayed', delay: 120 },
      ],
    ]);
    const answer = await send({ present: 'ada', fault: 'broken' });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^a fault is factory, copy/) } });
    expect(openedFaults).toHaveLength(2);
  });

  it('the simulated reader says which card is missing, and is free for the next', async () => {
    expect(await send({ present: 'emil' })).toEqual({ status: 404, body: { error: 'there is no card emil' } });
    expect(await send({ present: 'ada' })).toMatchObject({ status: 202 });
  });

  it.each([
    ['no JSON', '{', {}, 400],
    ['nothing', '', {}, 400],
    ['an unknown member', { present: 'ada', hold: 3 }, {}, 400],
    ['two requests in one', { present: 'ada', remove: true }, {}, 400],
    ['an unknown action', { present: 'ada', action: 'lunch' }, {}, 400],
    ['a long body', { present: 'a'.repeat(5_000) }, {}, 400],
    ['a form', { present: 'ada' }, { headers: { 'content-type': 'text/plain' } }, 400],
    ['a web page', { present: 'ada' }, { headers: { origin: 'https://evil.example' } }, 403],
    ['a rebound name', { present: 'ada' }, { headers: { host: 'evil.example' } }, 403],
    ['another path', { present: 'ada' }, { path: '/present' }, 404],
    ['another method', { present: 'ada' }, { method: 'PUT' }, 405],
  ])('the simulated reader refuses %s', async (_, body, options, status) => {
    expect(await send(body, options)).toMatchObject({ status });
    expect(events).toEqual([]);
  });

  it('that is taken is a fault of the configuration', async () => {
    await expect(openSimulatorControl(control.port, folder, reader, 'UTC')).rejects.toThrow(
      new RegExp(`^SIMULATOR_PORT ${control.port} cannot be used`),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { openDialogues } from './dialogue.js';
import { CardGone } from './reader/reader.js';
import type { Reply, ServiceClient } from './request.js';
import { terminalApi } from './terminal-api.js';

const session = 'csn_5Rk2vX8mQ4tZ7wYbN1hJcD';
const proof = { session, result: 'proved', first_name: 'Ada', state: 'out', actions: ['in'], pin_required: false };

/** One dialogue. @param replies of the card, one a command; none: it has left */
async function prove(answers: readonly object[], replies: readonly string[], action?: 'next') {
  const bodies: unknown[] = [];
  const commands: string[] = [];
  const queue = [...answers];
  const call = (_: unknown, body?: object): Promise<Reply> => {
    bodies.push(body);
    return Promise.resolve({ kind: 'answered', body: queue.shift() });
  };
  const client: ServiceClient = { call, callSurely: call, now: () => 0, clockOffset: () => undefined };
  const api = terminalApi(client);
  const dialogues = openDialogues({
    api,
    reader: {
      transmit(command) {
        commands.push(Buffer.from(command).toString('hex'));
        const reply = replies[commands.length - 1];
        return reply === undefined
          ? Promise.reject(new CardGone('gone'))
          : Promise.resolve(Uint8Array.from(Buffer.from(reply, 'hex')));
      },
    },
    sleep: () => Promise.resolve(),
    elapsed: () => 0,
  });
  const end = await dialogues.prove(Uint8Array.of(4, 0, 0, 0, 0, 0, 1), new AbortController().signal, action);
  return { end, commands, card: bodies[0], bodies: bodies.slice(1) };
}

const firstApdu = '905a000003c10c4b00';
const secondApdu = '90aa0000010100';
const commandPair = [
  { session, apdu: firstApdu },
  { session, apdu: secondApdu },
];

describe('a dialogue between card and service', () => {
  it('a dialogue sends one command to the card and one reply to the service at a time', async () => {
    const { end, commands, card, bodies } = await prove([...commandPair, proof], ['9100', 'aa91af']);
    expect(end.next).toBe('proved');
    expect(card).toEqual({ uid: '04000000000001' });
    expect(commands).toEqual([firstApdu, secondApdu]);
    expect(bodies).toEqual([
      { session, response: '9100' },
      { session, response: 'aa91af' },
    ]);
  });

  it('a dialogue names the stamp with the card', async () => {
    const { card } = await prove([...commandPair, proof], ['9100', 'aa91af'], 'next');
    expect(card).toEqual({ uid: '04000000000001', action: 'next' });
  });

  it('a dialogue ends where the card leaves between two commands', async () => {
    const { end, bodies } = await prove([...commandPair, proof], ['9100']);
    expect([end.next, bodies]).toEqual(['removed', [{ session, response: '9100' }]]);
  });

  it('a dialogue passes on no command for the reader', async () => {
    const { end, commands } = await prove([{ session, apdu: 'ffca000000' }], ['9100']);
    expect([end.next, commands]).toEqual(['useless', []]);
  });

  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['en-GB', 'en'],
    ['fr', 'en'],
    [7, undefined],
    [undefined, undefined],
  ])('a dialogue reads the language %j as %j', async (language, expected) => {
    const { end } = await prove([{ ...proof, language }], []);
    expect(end).toMatchObject({ next: 'proved', firstName: 'Ada' });
    expect('language' in end ? end.language : undefined).toBe(expected);
  });
});

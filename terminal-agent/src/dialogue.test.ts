import { describe, expect, it } from '@jest/globals';
import { openDialogues } from './dialogue.js';
import { CardGone } from './reader/reader.js';
import type { Reply, ServiceClient } from './request.js';
import { terminalApi } from './terminal-api.js';

const session = 'csn_5Rk2vX8mQ4tZ7wYbN1hJcD';
const proved = { session, result: 'proved', first_name: 'Ada', state: 'out', actions: ['in'], pin_required: false };

/** One dialogue. @param replies of the card, one a command; none: it has left */
async function prove(answers: readonly object[], replies: readonly string[]) {
  const bodies: unknown[] = [];
  const commands: string[] = [];
  const left = [...answers];
  const call = (_: unknown, body?: object): Promise<Reply> => {
    bodies.push(body);
    return Promise.resolve({ kind: 'answered', body: left.shift() });
  };
  const client: ServiceClient = { call, callSurely: call, now: () => 0, clockOffset: () => undefined };
  const dialogues = openDialogues({
    api: terminalApi(client),
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
    now: () => 0,
  });
  const end = await dialogues.prove(Uint8Array.of(4, 0, 0, 0, 0, 0, 1), new AbortController().signal);
  return { end, commands, bodies: bodies.slice(1) };
}

const first = '905a000003c10c4b00';
const second = '90aa0000010100';
const two = { session, apdu: first, follow: [{ after: '9100', apdu: second }] };

describe('a dialogue between card and service', () => {
  it('sends the commands that may follow, and all responses together', async () => {
    const { end, commands, bodies } = await prove([two, proved], ['9100', 'aa91af']);
    expect(end.next).toBe('proved');
    expect(commands).toEqual([first, second]);
    expect(bodies).toEqual([{ session, responses: ['9100', 'aa91af'], took_ms: 0 }]);
  });

  it('sends none of them after another response', async () => {
    const { commands, bodies } = await prove([two, proved], ['91a0']);
    expect(commands).toEqual([first]);
    expect(bodies).toEqual([{ session, response: '91a0', took_ms: 0 }]);
  });

  it('ends where the card leaves between them', async () => {
    const { end, bodies } = await prove([two, proved], ['9100']);
    expect([end.next, bodies]).toEqual(['removed', []]);
  });

  it('passes on no command for the reader', async () => {
    const { end, commands } = await prove([{ ...two, follow: [{ after: '9100', apdu: 'ffca000000' }] }], ['9100']);
    expect([end.next, commands]).toEqual(['useless', []]);
  });

  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['en-GB', 'en'],
    ['fr', 'en'],
    [7, undefined],
    [undefined, undefined],
  ])('reads the language %j as %j', async (language, read) => {
    const { end } = await prove([{ ...proved, language }], []);
    expect(end).toMatchObject({ next: 'proved', firstName: 'Ada' });
    expect('language' in end ? end.language : undefined).toBe(read);
  });
});

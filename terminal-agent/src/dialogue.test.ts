import { describe, expect, it } from '@jest/globals';
import { openDialogues } from './dialogue.js';
import { CardGone } from './reader/reader.js';
import type { Reply, ServiceClient } from './request.js';
import { terminalApi } from './terminal-api.js';

const session = 'csn_5Rk2vX8mQ4tZ7wYbN1hJcD';
const proved = { session, result: 'proved', first_name: 'Ada', state: 'out', actions: ['in'], pin_required: false };

/** One dialogue. @param replies of the card, one a command; none: it has left */
async function prove(
  answers: readonly object[],
  replies: readonly string[],
  { preludes = [], action }: { preludes?: readonly { apdu: string; follow: object[] }[]; action?: 'next' } = {},
) {
  const bodies: unknown[] = [];
  const commands: string[] = [];
  const left = [...answers];
  let resets = 0;
  const call = (_: unknown, body?: object): Promise<Reply> => {
    bodies.push(body);
    return Promise.resolve({ kind: 'answered', body: left.shift() });
  };
  const client: ServiceClient = { call, callSurely: call, now: () => 0, clockOffset: () => undefined };
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
  const begun = preludes.map(({ apdu, follow }) => ({
    apdu: bytes(apdu),
    follow: (follow as { after: string; apdu: string }[]).map((next) => ({
      after: next.after,
      apdu: bytes(next.apdu),
    })),
  }));
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
      reset() {
        resets += 1;
        return Promise.resolve();
      },
    },
    preludes: () => begun,
    sleep: () => Promise.resolve(),
    now: () => 0,
  });
  const end = await dialogues.prove(Uint8Array.of(4, 0, 0, 0, 0, 0, 1), new AbortController().signal, action);
  return { end, commands, resets, card: bodies[0], bodies: bodies.slice(1) };
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

  describe('that begins before it asks', () => {
    const desfire = { apdu: first, follow: [{ after: '9100', apdu: second }] };
    const ntag = { apdu: '00a4040007d276000085010100', follow: [{ after: '9000', apdu: '9071000002010000' }] };
    const preludes = [desfire, ntag];
    const last = { session, apdu: '90af000010000102030405060708090a0b0c0d0e0f00' };
    const uid = '04000000000001';

    it('sends what it has sent, of the family that answers to the end', async () => {
      const { card, commands, bodies, resets } = await prove([last, proved], ['9100', 'aa91af', 'bb9100'], {
        preludes,
        action: 'next',
      });
      expect(commands).toEqual([first, second, last.apdu]);
      expect(card).toEqual({
        uid,
        sent: [
          { apdu: first, response: '9100', took_ms: 0 },
          { apdu: second, response: 'aa91af', took_ms: 0 },
        ],
        action: 'next',
      });
      expect(bodies).toEqual([{ session, response: 'bb9100', took_ms: 0 }]);
      expect(resets).toBe(0);
      const other = await prove([last, proved], ['911c', '9000', 'cc91af', 'bb9100'], { preludes });
      expect(other.card).toMatchObject({ sent: [{ response: '9000' }, { response: 'cc91af' }] });
      expect(other.card).not.toHaveProperty('action');
    });

    it('asks as ever where the card knows none of them, and names no stamp then', async () => {
      const { card, commands } = await prove([two, proved], ['911c', '6a82', '9100', 'aa91af'], {
        preludes,
        action: 'next',
      });
      expect(card).toEqual({ uid });
      expect(commands).toEqual([first, ntag.apdu, first, second]);
    });

    it('resets the card where the service begins again', async () => {
      const { commands, resets } = await prove([{ session, apdu: '9060000000' }, proved], ['9100', 'aa91af', '91af'], {
        preludes,
      });
      expect([commands.at(-1), resets]).toEqual(['9060000000', 1]);
    });

    it('asks nothing where the card has left before', async () => {
      const { end, card } = await prove([two], ['9100'], { preludes });
      expect([end.next, card]).toEqual(['removed', undefined]);
    });

    it('sends no beginning that is meant for the reader', async () => {
      const odd = { apdu: 'ff00000000', follow: [{ after: '9000', apdu: second }] };
      const { commands } = await prove([proved], [], { preludes: [odd] });
      expect(commands).toEqual([]);
    });
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

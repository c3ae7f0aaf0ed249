import { afterEach, describe, expect, it } from '@jest/globals';
import { type PcscCard, type PcscEvents, pcscReader } from './pcsc.js';
import { CardGone, type PresentCard, type Reader } from './reader.js';

const uid = '04958caa5c5e80';

/** Time that passes only when the test says so; sleepers are woken in order. */
function clock() {
  let time = 0;
  let sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  return {
    elapsed: () => time,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted === true) return resolve();
        const sleeper = { until: time + milliseconds, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers = sleepers.filter((sleeper2) => sleeper2 !== sleeper);
          resolve();
        });
      }),
    /** Lets this much time pass and everything that follows from it happen. */
    async pass(milliseconds: number) {
      const end = time + milliseconds;
      await settle();
      for (;;) {
        const [next] = sleepers.filter(({ until }) => until <= end).sort((a, b) => a.until - b.until);
        if (next === undefined) break;
        time = next.until;
        sleepers = sleepers.filter((sleeper2) => sleeper2 !== next);
        next.wake();
        await settle();
      }
      time = end;
    },
  };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Bench {
  readonly reader: Reader;
  readonly time: ReturnType<typeof clock>;
  /** Events of the connection that is open now. */
  readonly events: () => PcscEvents;
  readonly openCount: () => number;
  readonly closeCount: () => number;
  readonly messages: string[];
  obstacle: string | undefined;
  openFails: string | undefined;
}

let bench: Bench;
afterEach(() => bench.reader.close());

async function start(readerName?: string): Promise<Bench> {
  const time = clock();
  const connections: PcscEvents[] = [];
  let closeCount = 0;
  const messages: string[] = [];
  const newBench: Bench = {
    time,
    messages,
    obstacle: undefined,
    openFails: undefined,
    events: () => connections.at(-1)!,
    openCount: () => connections.length,
    closeCount: () => closeCount,
    reader: pcscReader({
      readerName,
      sleep: time.sleep,
      elapsed: time.elapsed,
      obstacle: () => Promise.resolve(newBench.obstacle),
      binding: {
        open(events) {
          if (newBench.openFails !== undefined) throw new Error(newBench.openFails);
          connections.push(events);
          return {
            close: () => {
              closeCount += 1;
            },
          };
        },
      },
    }),
  };
  newBench.reader.onCard((card: PresentCard) =>
    messages.push(card.uid === undefined ? 'card ?' : `card ${Buffer.from(card.uid).toString('hex')}`),
  );
  newBench.reader.onRemoved(() => messages.push('removed'));
  newBench.reader.onReaderState((state) =>
    messages.push(state.kind === 'ready' ? `ready ${state.name}` : state.sentence),
  );
  bench = newBench;
  return newBench;
}

/** A card that answers everything with 9100 and the UID command with its UID. */
function card(
  options: { readonly uid?: string; readonly transmit?: PcscCard['transmit']; readonly reset?: PcscCard['reset'] } = {},
): PcscCard & { readonly resets: () => number } {
  let resets = 0;
  return {
    resets: () => resets,
    transmit: (command) =>
      Buffer.from(command).toString('hex') === 'ffca000000'
        ? Promise.resolve(Uint8Array.from(Buffer.from(`${options.uid ?? uid}9000`, 'hex')))
        : (options.transmit?.(command) ?? Promise.resolve(Uint8Array.of(0x91, 0x00))),
    reset:
      options.reset ??
      (async () => {
        resets += 1;
      }),
  };
}

describe('a reader behind pcscd', () => {
  it('the reader reports the UID of a card that is put down, and its leaving', async () => {
    const { reader, time, events, messages } = await start();
    await reader.start();
    await time.pass(0);
    events().attached('ACS ACR1252');
    events().inserted('ACS ACR1252', card(), false);
    await time.pass(0);
    expect(Buffer.from(await reader.transmit(Uint8Array.of(0x90, 0x60, 0, 0, 0))).toString('hex')).toBe('9100');
    events().removed('ACS ACR1252');
    expect(messages).toEqual(['ready ACS ACR1252', `card ${uid}`, 'removed']);
    await expect(reader.transmit(Uint8Array.of(0x90, 0x60, 0, 0, 0))).rejects.toThrow(CardGone);
    await expect(reader.reset()).rejects.toThrow(CardGone);
  });

  it('the reader passes over a card that lay there before it watched', async () => {
    const { reader, time, events, messages } = await start();
    await reader.start();
    await time.pass(0);
    events().attached('A');
    events().inserted('A', card(), true);
    await time.pass(0);
    expect(messages).toEqual(['ready A']);
    events().removed('A');
    events().inserted('A', card(), false);
    await time.pass(0);
    expect(messages).toEqual(['ready A', `card ${uid}`]);
  });

  it('the reader takes one card at a time', async () => {
    const { reader, time, events, messages } = await start();
    await reader.start();
    await time.pass(0);
    for (const name of ['A', 'B']) {
      events().attached(name);
      events().inserted(name, card(), false);
    }
    await time.pass(0);
    events().removed('B');
    expect(messages).toEqual(['ready A', `card ${uid}`]);
  });

  it('the agent uses only the reader that was named', async () => {
    const { reader, time, events, messages } = await start('PICC');
    await reader.start();
    await time.pass(2_000);
    events().attached('ACR SAM');
    events().inserted('ACR SAM', card(), false);
    events().attached('ACR PICC');
    events().inserted('ACR PICC', card(), false);
    await time.pass(0);
    expect(messages).toEqual(['no card reader with "PICC" in its name is connected', 'ready ACR PICC', `card ${uid}`]);
  });

  it.each([
    ['refuses', () => Promise.resolve(Uint8Array.of(0x6a, 0x81))],
    ['answers nothing', () => Promise.resolve(new Uint8Array())],
    ['answers an odd length', () => Promise.resolve(Uint8Array.of(1, 2, 3, 0x90, 0x00))],
    ['fails', () => Promise.reject(new Error('Transaction failed'))],
  ])('the reader reports a card without UID where the UID command %s', async (_, transmit) => {
    const { reader, time, events, messages } = await start();
    await reader.start();
    await time.pass(0);
    events().attached('A');
    events().inserted('A', { transmit, reset: () => Promise.resolve() }, false);
    await time.pass(0);
    expect(messages).toEqual(['ready A', 'card ?']);
  });

  it('the reader reports a card that does not answer at all', async () => {
    const { reader, time, events, messages } = await start();
    await reader.start();
    await time.pass(0);
    events().attached('A');
    events().mute('A');
    expect(messages).toEqual(['ready A', 'card ?']);
  });

  it('every failure of a command means that the card is gone', async () => {
    const { reader, time, events } = await start();
    await reader.start();
    await time.pass(0);
    events().attached('A');
    events().inserted(
      'A',
      card({
        transmit: () => Promise.reject(new Error('Transaction failed')),
        reset: () => Promise.reject(new Error('no')),
      }),
      false,
    );
    await time.pass(0);
    await expect(reader.transmit(Uint8Array.of(0x90))).rejects.toMatchObject({
      name: 'CardGone',
      message: 'Transaction failed',
    });
    await expect(reader.reset()).rejects.toMatchObject({ name: 'CardGone', message: 'no' });
  });

  it('a card that its own reset makes vanish and return stays the same visit', async () => {
    const { reader, time, events, messages } = await start();
    const presentCard = card();
    await reader.start();
    await time.pass(0);
    events().attached('A');
    events().inserted('A', presentCard, false);
    await time.pass(0);
    await reader.reset();
    expect(presentCard.resets()).toBe(1);
    events().removed('A');
    await time.pass(300);
    events().inserted('A', presentCard, false);
    await time.pass(0);
    expect(messages).toEqual(['ready A', `card ${uid}`, 'removed']);
    events().removed('A');
    await time.pass(1_000);
    events().inserted('A', presentCard, false);
    await time.pass(0);
    expect(messages.slice(3)).toEqual(['removed', `card ${uid}`]);
  });

  it('another card right after a reset is another visit', async () => {
    const { reader, time, events, messages } = await start();
    await reader.start();
    await time.pass(0);
    events().attached('A');
    events().inserted('A', card(), false);
    await time.pass(0);
    await reader.reset();
    events().removed('A');
    events().inserted('A', card({ uid: '04000000000001' }), false);
    await time.pass(0);
    expect(messages.at(-1)).toBe('card 04000000000001');
  });
});

describe('trouble behind pcscd', () => {
  it('before it runs is told once, and tried again ever more slowly up to half a minute', async () => {
    const bench = await start();
    bench.obstacle = 'pcscd is not running';
    await bench.reader.start();
    for (const [seconds, expectedOpens] of [
      [1 + 2 + 4 + 8 + 16 + 30, 0],
      [30, 0],
    ] as const) {
      await bench.time.pass(seconds * 1_000);
      expect(bench.openCount()).toBe(expectedOpens);
    }
    expect(bench.messages).toEqual(['pcscd is not running']);
    bench.obstacle = undefined;
    await bench.time.pass(29_999);
    expect(bench.openCount()).toBe(0);
    await bench.time.pass(1);
    expect(bench.openCount()).toBe(1);
  });

  it("in the middle ends the card's visit and opens the library again after a second", async () => {
    const bench = await start();
    await bench.reader.start();
    await bench.time.pass(0);
    bench.events().attached('A');
    bench.events().inserted('A', card(), false);
    await bench.time.pass(0);
    bench.events().failed('PC/SC service not running');
    bench.events().failed('PC/SC service not running');
    await bench.time.pass(999);
    expect([bench.openCount(), bench.closeCount()]).toEqual([1, 1]);
    await bench.time.pass(1);
    expect(bench.openCount()).toBe(2);
    bench.events().attached('A');
    expect(bench.messages).toEqual([
      'ready A',
      `card ${uid}`,
      'the card reader has failed: PC/SC service not running',
      'removed',
      'ready A',
    ]);
  });

  it('after a success begins again with a second', async () => {
    const bench = await start();
    await bench.reader.start();
    for (let time = 0; time < 3; time += 1) {
      await bench.time.pass(0);
      bench.events().attached('A');
      bench.events().failed('gone');
      await bench.time.pass(1_000);
    }
    expect(bench.openCount()).toBe(4);
  });

  it('in opening is told and tried again', async () => {
    const bench = await start();
    bench.openFails = 'no context';
    await bench.reader.start();
    await bench.time.pass(0);
    expect(bench.messages).toEqual(['the card reader has failed: no context']);
    bench.openFails = undefined;
    await bench.time.pass(1_000);
    expect(bench.openCount()).toBe(1);
  });

  it('with a command that is never answered cannot be recovered from in this process', async () => {
    const bench = await start();
    await bench.reader.start();
    await bench.time.pass(0);
    bench.events().attached('A');
    bench.events().inserted('A', card({ transmit: () => new Promise(() => undefined) }), false);
    await bench.time.pass(0);
    const reply = bench.reader.transmit(Uint8Array.of(0x90)).catch((error: unknown) => error);
    await bench.time.pass(5_000);
    expect(await reply).toEqual(new CardGone('no answer in time'));
    expect(bench.messages.slice(-2)).toEqual(['the card reader no longer answers', 'removed']);
  });

  it('with a reader pulled out is told, and so is its return', async () => {
    const bench = await start();
    await bench.reader.start();
    await bench.time.pass(0);
    bench.events().attached('A');
    bench.events().inserted('A', card(), false);
    await bench.time.pass(0);
    bench.events().detached('A');
    bench.events().attached('A');
    expect(bench.messages).toEqual(['ready A', `card ${uid}`, 'removed', 'no card reader is connected', 'ready A']);
  });

  it('without any reader is told after two seconds', async () => {
    const bench = await start();
    await bench.reader.start();
    await bench.time.pass(1_999);
    expect(bench.messages).toEqual([]);
    await bench.time.pass(1);
    expect(bench.messages).toEqual(['no card reader is connected']);
  });

  it('trouble behind pcscd is over once the reader is closed', async () => {
    const bench = await start();
    await bench.reader.start();
    await bench.time.pass(0);
    await bench.reader.close();
    expect(bench.closeCount()).toBe(1);
    await bench.time.pass(60_000);
    expect(bench.openCount()).toBe(1);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { OfflineReceipt, TerminalApi } from '../terminal-api.js';
import { type JournalDisk, openJournal } from './journal.js';
import { uploadJournal, uploads } from './upload.js';

function disk(): JournalDisk {
  let content: Buffer = Buffer.alloc(0);
  const keep = async (bytes: Buffer): Promise<void> => {
    content = bytes;
  };
  return {
    read: async () => content,
    append: (bytes) => keep(Buffer.concat([content, bytes])),
    truncate: (length) => keep(content.subarray(0, length)),
    replace: (bytes) => keep(Buffer.from(bytes)),
  };
}

async function journalOf(count: number) {
  const journal = await openJournal(disk());
  for (let index = 0; index < count; index += 1) await journal.record((number) => `sealed ${number}`);
  return journal;
}

type Reply = Awaited<ReturnType<TerminalApi['offline']>>;
const receipt = (results: OfflineReceipt['results']): Reply => ({
  kind: 'answered',
  body: { results, last_number: results.at(-1)?.number ?? 0 },
});

/** A service that answers with the given results, and remembers the requests. */
function service(answer: (numbers: readonly number[], call: number) => Reply) {
  const batches: number[][] = [];
  return {
    batches,
    api: {
      async offline(request: Parameters<TerminalApi['offline']>[0]) {
        batches.push(request.stamps.map(({ number }) => number));
        return answer(batches.at(-1)!, batches.length);
      },
    },
  };
}
const accept = (numbers: readonly number[]) => receipt(numbers.map((number) => ({ number, result: 'accepted' })));

describe('the upload of the offline journal', () => {
  it('the upload sends stamps in order, at most a hundred at a time', async () => {
    const journal = await journalOf(250);
    const { api, batches } = service(accept);
    expect(await uploadJournal(journal, api)).toEqual({ results: { accepted: 250 } });
    expect(batches.map((batch) => [batch[0], batch.at(-1)])).toEqual([
      [1, 100],
      [101, 200],
      [201, 250],
    ]);
    expect(journal.waiting()).toEqual([]);
  });

  it('the upload keeps a batch without an answer, and sends the same numbers again', async () => {
    const journal = await journalOf(3);
    const { api, batches } = service((numbers, call) =>
      call === 1
        ? { kind: 'unanswered', reason: 'no answer in time' }
        : receipt(numbers.map((number) => ({ number, result: 'duplicate' }))),
    );
    expect(await uploadJournal(journal, api)).toEqual({ results: {}, obstacle: 'no answer in time' });
    expect(journal.waiting()).toHaveLength(3);
    expect(await uploadJournal(journal, api)).toEqual({ results: { duplicate: 3 } });
    expect(batches).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it('the upload keeps what the service left out of its answer, and sends it again', async () => {
    const journal = await journalOf(3);
    const { api, batches } = service((numbers, call) =>
      call === 1 ? receipt([{ number: 2, result: 'too_old' }]) : accept(numbers),
    );
    expect(await uploadJournal(journal, api)).toEqual({
      results: { too_old: 1 },
      obstacle: 'the service left results out',
    });
    expect(journal.waiting().map(({ number }) => number)).toEqual([1, 3]);
    expect(await uploadJournal(journal, api)).toEqual({ results: { accepted: 2 } });
    expect(batches).toEqual([
      [1, 2, 3],
      [1, 3],
    ]);
  });

  it.each([
    ['deferred', 'too many unresolved stamps of this terminal await a decision'],
    ['held_back', 'the service answered held_back'],
  ])('the upload keeps a stamp whose result is %s, over a restart too', async (result, obstacle) => {
    const memory = disk();
    const journal = await openJournal(memory);
    for (let index = 0; index < 150; index += 1) await journal.record((number) => `sealed ${number}`);
    const { api } = service((numbers) =>
      receipt(numbers.map((number) => ({ number, result: number === 1 || number === 120 ? result : 'unknown_card' }))),
    );
    expect(await uploadJournal(journal, api)).toEqual({
      results: { [result]: 2, unknown_card: 148 },
      obstacle,
    });
    const secondJournal = await openJournal(memory);
    expect(secondJournal.waiting()).toEqual([
      { number: 1, sealed: 'sealed 1' },
      { number: 120, sealed: 'sealed 120' },
    ]);
    expect(await secondJournal.record((number) => `sealed ${number}`)).toMatchObject({ number: 151 });
  });

  it('a conflict stops the journal: two devices share a key', async () => {
    const journal = await journalOf(2);
    const { api } = service((numbers) =>
      receipt(numbers.map((number) => ({ number, result: number === 1 ? 'conflict' : 'accepted' }))),
    );
    expect(await uploadJournal(journal, api)).toEqual({ results: { conflict: 1, accepted: 1 } });
    expect(journal.stopped()).toBe(true);
  });

  it('the agent runs one upload at a time, and the next one after a failure', async () => {
    const journal = await journalOf(3);
    const lines: string[] = [];
    const answers: (() => void)[] = [];
    const { api, batches } = service((numbers, call) =>
      call === 1 ? { kind: 'unanswered', reason: 'no answer in time' } : accept(numbers),
    );
    const slowApi: typeof api = {
      async offline(request) {
        await new Promise<void>((resolve) => answers.push(resolve));
        return api.offline(request);
      },
    };
    const upload = uploads(journal, slowApi, (line) => lines.push(line));
    const firstUpload = upload();
    // Both end at once: an upload is under way.
    await Promise.all([upload(), upload()]);
    expect(answers).toHaveLength(1);
    answers.shift()!();
    await firstUpload;
    const secondUpload = upload();
    answers.shift()!();
    await secondUpload;
    expect(batches).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(lines).toEqual(['Offline stamps wait: no answer in time', 'Offline stamps uploaded: 3 accepted']);
  });

  it('the agent says once why stamps wait, and does not call them uploaded', async () => {
    const journal = await journalOf(2);
    const { api } = service((numbers) => receipt(numbers.map((number) => ({ number, result: 'deferred' }))));
    const lines: string[] = [];
    const upload = uploads(journal, api, (line) => lines.push(line));
    await upload();
    await upload();
    expect(lines).toEqual(['Offline stamps wait: too many unresolved stamps of this terminal await a decision']);
  });
});

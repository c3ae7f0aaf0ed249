import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { gather, shareReads, type Waiting } from '../src/database/gather.js';

/** Work that goes on until it is let go. */
function held<Answer>() {
  const waiting: { readonly what: unknown; let: (answer: Answer) => void }[] = [];
  const hold = (what: unknown) =>
    new Promise<Answer>((resolve) => {
      waiting.push({ what, let: resolve });
    });
  return { waiting, hold };
}
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

/** Until timers of a millisecond have fired: they do so in the order in which they are due. */
const timers = () => new Promise((resolve) => setTimeout(resolve, 5));

// A wait of a minute that no test waits for would keep the process.
beforeEach(() => {
  jest.spyOn(globalThis, 'setTimeout');
});
afterEach(() => {
  for (const { value } of jest.mocked(setTimeout).mock.results) clearTimeout(value as NodeJS.Timeout);
  jest.restoreAllMocks();
});

describe('requests that are worked on together', () => {
  const open = ({ patienceMilliseconds = 60_000, crowdMilliseconds = 0 } = {}) => {
    const { waiting: groups, hold } = held<readonly Waiting<number, string>[]>();
    const add = gather(
      (group: readonly Waiting<number, string>[]) =>
        hold(group.map(({ request }) => request)).then((back) => {
          for (const one of group) if (!back.includes(one)) one.resolve(`done ${one.request}`);
          return back;
        }),
      { most: 3, patienceMilliseconds, crowdMilliseconds },
    );
    return { groups, add };
  };

  it('begin alone at once, and those that come meanwhile are the next group', async () => {
    const { groups, add } = open();
    const answers = [1, 2, 3, 4, 5].map(add);
    expect(groups.map(({ what }) => what)).toEqual([[1]]);
    groups[0]!.let([]);
    expect(await answers[0]).toBe('done 1');
    await turns();
    expect(groups[1]!.what).toEqual([2, 3, 4]);
    groups[1]!.let([]);
    await Promise.all(answers.slice(0, 4));
    await timers();
    expect(groups[2]!.what).toEqual([5]);
    groups[2]!.let([]);
    expect(await answers[4]).toBe('done 5');
  });

  it('wait for as many as there were before, and begin as soon as they are complete', async () => {
    const { groups, add } = open({ crowdMilliseconds: 60_000 });
    const answers = [1, 2].map(add);
    groups[0]!.let([]);
    await turns();
    expect(groups).toHaveLength(1);
    answers.push(add(3));
    expect(groups[1]!.what).toEqual([2, 3]);
    groups[1]!.let([]);
    await Promise.all(answers);
    await turns();
    answers.push(add(4), add(5));
    expect(groups[2]!.what).toEqual([4, 5]);
    groups[2]!.let([]);
    await Promise.all(answers);
  });

  it('wait for no others a moment after a group', async () => {
    const { groups, add } = open();
    const answers = [1, 2].map(add);
    groups[0]!.let([]);
    await turns();
    expect(groups).toHaveLength(1);
    await timers();
    expect(groups[1]!.what).toEqual([2]);
    groups[1]!.let([]);
    await Promise.all(answers);
    await timers();
    answers.push(add(3));
    expect(groups[2]!.what).toEqual([3]);
    groups[2]!.let([]);
    await Promise.all(answers);
  });

  it('come first in the next group where they are handed back', async () => {
    const groups: number[][] = [];
    let handedBack = false;
    const add = gather(
      async (group: readonly Waiting<number, string>[]) => {
        groups.push(group.map(({ request }) => request));
        const back = handedBack ? [] : group;
        handedBack = true;
        for (const one of group) if (!back.includes(one)) one.resolve('done');
        return back;
      },
      { most: 3, patienceMilliseconds: 60_000, crowdMilliseconds: 0 },
    );
    await Promise.all([add(1), add(2)]);
    expect(groups).toEqual([[1], [1, 2]]);
  });

  it('fail together where the work fails, and the next group is worked on', async () => {
    const add = gather(
      async (group: readonly Waiting<number, string>[]) => {
        if (group.some(({ request }) => request < 0)) throw new Error('broken');
        for (const one of group) one.resolve('done');
        return [];
      },
      { most: 3, patienceMilliseconds: 60_000, crowdMilliseconds: 0 },
    );
    const broken = add(-1);
    const next = add(2);
    await expect(broken).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('wait no longer than they have patience', async () => {
    const { groups, add } = open({ patienceMilliseconds: 1 });
    const answers = [1, 2].map(add);
    while (groups.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    for (const group of groups) group.let([]);
    expect(await Promise.all(answers)).toEqual(['done 1', 'done 2']);
  });
});

describe('the same read, asked for by many', () => {
  it('is shared by those that ask while another one runs, and never older than the question', async () => {
    const { waiting: reads, hold } = held<string>();
    const read = shareReads(hold);
    const first = read('key');
    const [second, third] = [read('key'), read('key')];
    const other = read('another');
    expect(reads.map(({ what }) => what)).toEqual(['key', 'another']);
    reads[0]!.let('before');
    reads[1]!.let('other');
    expect(await Promise.all([first, other])).toEqual(['before', 'other']);
    await turns();
    expect(reads).toHaveLength(3);
    reads[2]!.let('after');
    expect(await Promise.all([second, third])).toEqual(['after', 'after']);
    const fourth = read('key');
    reads[3]!.let('later');
    expect(await fourth).toBe('later');
  });

  it('begins beside one that hangs', async () => {
    const { waiting: reads, hold } = held<string>();
    const read = shareReads(hold, { patienceMilliseconds: 1 });
    const hanging = read('key');
    const second = read('key');
    while (reads.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    reads[1]!.let('answered');
    expect(await second).toBe('answered');
    reads[0]!.let('late');
    expect(await hanging).toBe('late');
  });

  it('fails for those that shared it, and the next one reads again', async () => {
    let reads = 0;
    const read = shareReads(async () => {
      if (reads++ === 0) throw new Error('gone');
      return 'there';
    });
    const [first, second] = [read('key'), read('key')];
    await expect(first).rejects.toThrow('gone');
    expect(await second).toBe('there');
  });
});

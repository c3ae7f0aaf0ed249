import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createUnfinished, endOnSignal } from './end-on-signal.js';
import { createLog } from './log.js';

/**
 * @param steps of a stop @returns a function that sends a signal; resolves with the exit code and the cut steps in the
 * log
 */
function startedWith(steps: Readonly<Record<string, Promise<unknown>>>, withinMs: number) {
  const { names, finish } = createUnfinished();
  const lines: { readonly msg: string; readonly cut?: readonly string[] }[] = [];
  const fakeProcess = Object.assign(new EventEmitter(), {
    exit: (code: number) => void fakeProcess.emit('exit', code),
  });
  const close = async () => void (await Promise.all(Object.entries(steps).map(([name, step]) => finish(name, step))));
  const log = createLog('info', 'test', { write: (line) => void lines.push(JSON.parse(line)) });
  endOnSignal({ close, unfinished: names }, log, fakeProcess, withinMs);
  return async (...signals: readonly string[]) => {
    const exitEvent = once(fakeProcess, 'exit');
    for (const signal of signals) fakeProcess.emit(signal);
    const [code] = await exitEvent;
    return { code, cut: lines.find(({ cut }) => cut !== undefined)?.cut };
  };
}

const unfinished = new Promise(() => undefined);
const minute = 60_000;

describe('a stopping process', () => {
  it('a stopping process ends with 0 once all work is finished', async () => {
    const send = startedWith({ requests: Promise.resolve(true), database: Promise.resolve() }, minute);
    expect(await send('SIGTERM')).toEqual({ code: 0, cut: undefined });
  });

  it('a stopping process ends with 1 at its deadline, and names the unfinished work', async () => {
    const send = startedWith({ requests: Promise.resolve(true), database: unfinished }, 20);
    expect(await send('SIGTERM')).toEqual({ code: 1, cut: ['database'] });
  });

  it('a stopping process ends with 1 and names requests that were cut off', async () => {
    const send = startedWith({ requests: Promise.resolve(false) }, minute);
    expect(await send('SIGINT')).toEqual({ code: 1, cut: ['requests'] });
  });

  it('a stopping process ends with 1 when closing fails', async () => {
    const send = startedWith({ database: Promise.reject(new Error('no')) }, minute);
    expect(await send('SIGTERM')).toMatchObject({ code: 1 });
  });

  it('a stopping process ends with 1 at once at a second signal', async () => {
    const send = startedWith({ requests: unfinished }, minute);
    expect(await send('SIGTERM', 'SIGTERM')).toMatchObject({ code: 1 });
  });
});

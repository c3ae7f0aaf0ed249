import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { deviceFacts } from './device-facts.js';
import type { ReaderState } from './reader/reader.js';
import { version } from './version.js';

function device() {
  let tell: (state: ReaderState) => void = () => undefined;
  const facts = deviceFacts({
    onReaderState(listener) {
      tell = listener;
    },
  });
  return { facts, reader: (state: ReaderState) => tell(state) };
}
const clock = (offset?: number) => ({ clockOffset: () => offset });

describe('what the device says about itself', () => {
  it('the device reports the version of its package, and nothing that it does not know', () => {
    const { version: packageVersion } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    ) as {
      version: string;
    };
    expect(version).toBe(packageVersion);
    expect(device().facts(clock())).toEqual({ agent_version: packageVersion });
  });

  it('the device reports the state of its reader, with a name in printable ASCII while it is ready', () => {
    const { facts, reader } = device();
    reader({ kind: 'ready', name: `Größe ${'x'.repeat(200)}` });
    expect(facts(clock())).toMatchObject({ reader: `Gr??e ${'x'.repeat(94)}`, reader_state: 'ready' });
    reader({ kind: 'waiting', sentence: 'no card reader is connected' });
    expect(facts(clock())).toEqual({ agent_version: version, reader_state: 'missing' });
  });

  it('the device reports how many stamps wait, and a clock without jitter', () => {
    const { facts } = device();
    expect(facts(clock(412), 3)).toMatchObject({ clock_offset_ms: 412, offline_waiting: 3 });
    expect(facts(clock(-900), 0)).toMatchObject({ clock_offset_ms: 412, offline_waiting: 0 });
    expect(facts(clock(2_412))).toMatchObject({ clock_offset_ms: 2_412 });
    expect(facts(clock(-1e12))).toMatchObject({ clock_offset_ms: -2_147_483_647 });
  });
});

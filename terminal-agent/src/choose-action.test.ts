import { describe, expect, it } from '@jest/globals';
import { followScript } from './choose-action.js';
import type { Proof, TerminalAction } from './terminal-api.js';

const proof = (...actions: TerminalAction[]): Proof => ({
  session: 'csn_0000000000000000',
  firstName: 'Ada',
  state: 'out',
  actions,
  pinRequired: false,
});
const { signal } = new AbortController();

describe('a script in the place of a screen', () => {
  it('a script makes its stamps in order, then toggles', async () => {
    const choose = followScript(['in', 'break_start']);
    expect([
      await choose(proof('in'), signal),
      await choose(proof('out', 'break_start'), signal),
      await choose(proof('out', 'break_end'), signal),
    ]).toEqual([{ action: 'in' }, { action: 'break_start' }, { action: 'break_end', toggled: true }]);
  });

  it.each([
    ['in for a person who is out', ['in'], 'in'],
    ['out for a person who is in', ['break_start', 'out'], 'out'],
    ['in for a person who forgot to clock out', ['in', 'out'], 'in'],
    ['the end of the break for a person on a break', ['out', 'break_end'], 'break_end'],
    ['the only action that is offered', ['break_start'], 'break_start'],
  ] as const)('a script chooses %s', async (_, actions, action) => {
    expect(await followScript([])(proof(...actions), signal)).toEqual({ action, toggled: true });
  });

  it('chooses nothing where nothing is offered', async () => {
    expect(await followScript([])(proof(), signal)).toBeUndefined();
  });
});

import type { Proof, TerminalAction } from './terminal-api.js';

/**
 * The choice of the person at the terminal; undefined means nothing, or no answer in time. `toggled` if the person only
 * held the badge there and the next sensible stamp was taken.
 */
export type Choice =
  | { readonly action: TerminalAction; readonly pin?: string | undefined; readonly toggled?: boolean }
  | undefined;

/** Asks the person, or a script in their place. The signal fires when the terminal stops. */
export type ChooseAction = (proof: Proof, signal: AbortSignal) => Promise<Choice>;

/**
 * Stands in for a screen: makes the stamps of `script` in order, then toggles: out becomes in, in becomes out, and a
 * break ends; after a forgotten clock-out a new day begins.
 */
export function followScript(script: readonly TerminalAction[]): ChooseAction {
  const actions = [...script];
  return (proof) => {
    const choice = actions.shift();
    if (choice !== undefined) return Promise.resolve({ action: choice });
    const action = toggleBreak(proof.actions);
    return Promise.resolve(action && { action, toggled: true });
  };
}

function toggleBreak(actions: readonly TerminalAction[]): TerminalAction | undefined {
  return (['break_end', 'in', 'out'] as const).find((action) => actions.includes(action)) ?? actions[0];
}

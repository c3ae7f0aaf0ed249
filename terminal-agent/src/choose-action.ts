import type { Proof, TerminalAction } from './terminal-api.js';

/** What the person in front of the terminal wants; undefined means nothing, or no answer in time. */
export type Choice = { readonly action: TerminalAction; readonly pin?: string } | undefined;

/** Asks the person, or whoever stands in for them. The signal fires when the terminal stops. */
export type ChooseAction = (proof: Proof, signal: AbortSignal) => Promise<Choice>;

/**
 * Stands in for a screen: makes the stamps of `script` in their order, then clocks in who is out and clocks out who is
 * in.
 */
export function followScript(script: readonly TerminalAction[]): ChooseAction {
  const left = [...script];
  return (proof) => {
    const action = left.shift() ?? toggled(proof.actions);
    return Promise.resolve(action && { action });
  };
}

function toggled(actions: readonly TerminalAction[]): TerminalAction | undefined {
  return (['in', 'out'] as const).find((action) => actions.includes(action)) ?? actions[0];
}

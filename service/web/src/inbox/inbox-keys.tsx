/** Deciding by keys: the meaning of each, and the choice to switch them off (WCAG 2.1.4). */
import { Checkbox } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { keepKeysChoice, keysAreOn } from '../parts/keys-choice.js';
import { useWords } from '../words/words.js';

/** Whether keys act, as this browser remembers it. */
export function useKeysChoice(): readonly [boolean, (on: boolean) => void] {
  const [on, setOn] = useState(keysAreOn);
  return [
    on,
    (choice) => {
      keepKeysChoice(choice);
      setOn(choice);
    },
  ];
}

/** Calls the action of a key, except while the person types. */
export function useKeys(on: boolean, acts: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement &&
        target.closest('input:not([type="checkbox"]), textarea, select, [role="dialog"]') !== null;
      const act = acts[event.key];
      if (act === undefined || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

/** The key on a button, if keys act. */
export function KeyCap({ on, name }: { readonly on: boolean; readonly name: string }): ReactNode {
  return (
    on && (
      <span className="cap" aria-hidden="true">
        {name}
      </span>
    )
  );
}

export function KeysLegend({
  on,
  decidable,
  onChange,
}: {
  readonly on: boolean;
  readonly decidable: boolean;
  readonly onChange: (on: boolean) => void;
}): ReactNode {
  const words = useWords();
  const decisionKeys = [
    ['x', words.approvals_keys_select],
    ['a', words.approvals_keys_approve],
    ['r', words.approvals_keys_reject],
    ['z', words.approvals_keys_undo],
  ] as const;
  return (
    <div className="inbox-foot">
      {on && (
        <span>
          <kbd>j</kbd> <kbd>k</kbd> {words.approvals_keys_move}
        </span>
      )}
      {on &&
        decidable &&
        decisionKeys.map(([key, text]) => (
          <span key={key}>
            <kbd>{key}</kbd> {text}
          </span>
        ))}
      <Checkbox
        size="xs"
        label={words.approvals_keys}
        checked={on}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}

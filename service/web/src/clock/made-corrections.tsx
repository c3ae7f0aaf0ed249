/** Says that corrections were made, and takes them back. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { Glyph } from '../parts/glyph.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { timeOfOthers } from './entries.js';

/**
 * The corrections made last, kept with the page's place in the history: after a reload they can still be taken back.
 */
export function useMadeCorrections(): [ids: readonly string[], setIds: (ids: readonly string[]) => void] {
  const [madeIds, setMadeIds] = useState<readonly string[]>(
    () => (history.state as { readonly made?: readonly string[] } | null)?.made ?? [],
  );
  const keep = (ids: readonly string[]) => {
    history.replaceState({ made: ids }, '');
    setMadeIds(ids);
  };
  return [madeIds, keep];
}

export function MadeCorrections({
  ids,
  text,
  onUndone,
}: {
  /** Empty if nothing was made, or it was taken back. */
  readonly ids: readonly string[];
  readonly text: string;
  readonly onUndone: () => void;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const undoing = useMutation({
    mutationFn: () => ask(client.POST('/app/corrections/undo', { body: { correction_ids: [...ids] } })),
    onSuccess: () => {
      for (const key of timeOfOthers) void queries.invalidateQueries({ queryKey: [key] });
      onUndone();
    },
  });
  return (
    <>
      <div role="status">
        {ids.length > 0 && (
          <div className="notice ok row">
            <span>
              <Glyph name="check" /> {text}
            </span>
            <button
              type="button"
              className="button small"
              aria-disabled={undoing.isPending || undefined}
              onClick={() => {
                if (!undoing.isPending) undoing.mutate();
              }}
            >
              {words.undo}
            </button>
          </div>
        )}
        {ids.length === 0 && undoing.isSuccess && <p className="notice ok">{words.several_undone}</p>}
      </div>
      <ProblemNotice problem={ids.length === 0 ? null : undoing.error} />
    </>
  );
}

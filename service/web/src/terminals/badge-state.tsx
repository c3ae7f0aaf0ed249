import type { ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';
import { StateBadge } from './terminal-state.js';

const tones = { active: 'ok', blocked: 'bad', returned: 'neutral' } as const;

export function BadgeState({ badge }: { readonly badge: Schemas['Badge'] }): ReactNode {
  const words = useWords();
  return (
    <StateBadge tone={tones[badge.state]}>
      {badge.lost === true ? words.badge_lost : words.badge_states[badge.state]}
    </StateBadge>
  );
}

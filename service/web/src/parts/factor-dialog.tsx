/** Asks for a fresh second factor, over the page. */
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';
import { Dialog } from './dialog.js';
import { FactorForm } from './factor-form.js';
import { WithMantine } from './mantine.js';

export function FactorDialog({
  open,
  busy,
  problem,
  onProof,
  onClose,
}: {
  readonly open: boolean;
  readonly busy: boolean;
  readonly problem: unknown;
  readonly onProof: (proof: Schemas['SecondFactorProof']) => void;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  return (
    <WithMantine>
      <Dialog open={open} onClose={onClose} title={words.factor_dialog_title}>
        <Stack>
          <Text size="sm">{words.factor_dialog_text}</Text>
          <FactorForm busy={busy} problem={problem} onProof={onProof} />
        </Stack>
      </Dialog>
    </WithMantine>
  );
}

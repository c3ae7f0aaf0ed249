/** Asks once more before an action that cannot be taken back. */
import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.js';
import { Dialog, type DialogProps } from './dialog.js';

export interface ConfirmDialogProps extends DialogProps {
  readonly action: string;
  readonly onConfirm: () => void;
}

export function ConfirmDialog({ action, onConfirm, children, ...frame }: ConfirmDialogProps): ReactNode {
  const words = useWords();
  return (
    <Dialog {...frame}>
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={frame.onClose} data-autofocus>
            {words.cancel}
          </Button>
          <Button color="red" onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

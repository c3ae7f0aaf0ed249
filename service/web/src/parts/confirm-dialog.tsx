/** Asks once more before something that cannot be taken back. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.js';

/** lockScroll would write a style into the page, which its policy forbids. */
export const dialog = { lockScroll: false, centered: true, transitionProps: { duration: 0 }, overlayProps: { backgroundOpacity: 0.45 } } as const;

export interface ConfirmDialogProps { readonly open: boolean; readonly title: string; readonly action: string; readonly onConfirm: () => void; readonly onClose: () => void; readonly children: ReactNode }

export function ConfirmDialog({ open, title, action, onConfirm, onClose, children }: ConfirmDialogProps): ReactNode {
  const words = useWords();
  return (
    <Modal opened={open} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': words.close }} {...dialog}>
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>{words.cancel}</Button>
          <Button color="red" onClick={onConfirm}>{action}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

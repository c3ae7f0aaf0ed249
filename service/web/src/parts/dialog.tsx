/** A dialog with a title and a close button. Escape and a click beside it close it too, unless that loses something. */
import { Group, Modal } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useWords } from '../words/words.js';
import { leaving } from './leaving.js';
import { restoreFocus } from './restore-focus.js';

export interface DialogProps {
  readonly open: boolean;
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * lockScroll would write a style into the page, which its policy forbids. Mantine's own header would be a second banner
 * of the page. Without a portal a dialog is hidden together with the page that opened it.
 */
export function Dialog({ open, title, onClose, children }: DialogProps): ReactNode {
  const words = useWords();
  // Mantine gives the focus back when it closes a dialog, but not when a page takes the dialog away.
  const [opener] = useState(() => (open ? (document.activeElement as HTMLElement | null) : null));
  useEffect(() => () => void setTimeout(() => restoreFocus(opener)), [opener]);
  const close = () => {
    if (leaving.mayLeave(onClose, '[role="dialog"]')) onClose();
  };
  return (
    <Modal.Root
      opened={open}
      onClose={close}
      lockScroll={false}
      withinPortal={false}
      centered
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content>
        <Modal.Body pt="md">
          <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
            <Modal.Title fw={600}>{title}</Modal.Title>
            <Modal.CloseButton aria-label={words.close} />
          </Group>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

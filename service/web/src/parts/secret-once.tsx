/** A secret that is shown this one time. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useWords } from '../words/words.js';
import { restoreFocus } from './restore-focus.js';

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const words = useWords();
  const [wasCopied, setCopied] = useState(false);
  // Clipboards exist on secure pages only; without one there is the selection.
  if (typeof navigator.clipboard?.writeText !== 'function') return null;
  return (
    <Button
      variant="default"
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => setCopied(false),
        )
      }
    >
      {wasCopied ? words.copied : label}
    </Button>
  );
}

export interface Secret {
  readonly label: string;
  readonly value: string;
}

export function SecretOnce({
  secrets,
  note,
  onKept,
}: {
  readonly secrets: readonly Secret[];
  readonly note?: string;
  readonly onKept: () => void;
}): ReactNode {
  const words = useWords();
  return (
    <Alert
      color="orange"
      variant="light"
      title={words.secret_once_title}
      role="region"
      aria-label={words.secret_once_title}
      tabIndex={-1}
      ref={restoreFocus}
    >
      <Stack gap="sm">
        <Text size="sm">{words.secret_once_text}</Text>
        {secrets.map(({ label, value }) => (
          <Stack gap={4} key={label}>
            <Text size="sm" fw={600}>
              {label}
            </Text>
            <output className="secret" aria-label={label}>
              {value}
            </output>
            <Group>
              <CopyButton text={value} label={words.copy} />
            </Group>
          </Stack>
        ))}
        {note !== undefined && <Text size="sm">{note}</Text>}
        <Group>
          <Button onClick={onKept}>{words.secret_kept}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}

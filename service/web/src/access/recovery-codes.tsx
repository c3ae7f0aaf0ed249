/** Recovery codes, shown once. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { saveFile } from '../parts/save-file.js';
import { CopyButton } from '../parts/secret-once.js';
import { useWords } from '../words/words.js';

export function RecoveryCodes({
  codes,
  onKept,
}: {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}): ReactNode {
  const words = useWords();
  const text = `${codes.join('\n')}\n`;
  return (
    <Stack>
      <Alert color="orange" variant="light" role="status">
        {words.recovery_text}
      </Alert>
      <ul className="codes" aria-label={words.recovery_list}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group>
        <CopyButton text={text} label={words.recovery_copy} />
        <Button
          variant="default"
          onClick={() => saveFile(words.recovery_file, new Blob([text], { type: 'text/plain' }))}
        >
          {words.recovery_download}
        </Button>
      </Group>
      <Text size="sm" component="div">
        <Button onClick={onKept}>{words.recovery_kept}</Button>
      </Text>
    </Stack>
  );
}

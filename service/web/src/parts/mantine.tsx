/** Mantine around a page that uses its parts. An employee's first page uses none, and does not load them. */
import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScheme } from '../api/theme.js';

/** The variables and classes that Mantine would write into the page come as files (styles.ts). */
export function WithMantine({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <MantineProvider
      forceColorScheme={useScheme()}
      withCssVariables={false}
      withGlobalClasses={false}
      theme={{ primaryColor: 'teal', components: { InputWrapper: { defaultProps: { withAsterisk: false } } } }}
    >
      {children}
    </MantineProvider>
  );
}

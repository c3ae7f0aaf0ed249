import './styles.js';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/session.js';
import { App } from './shell/app.js';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {/* The variables and classes that Mantine would write into the page come as files (styles.ts). */}
    <MantineProvider
      forceColorScheme="light"
      withCssVariables={false}
      withGlobalClasses={false}
      theme={{ primaryColor: 'teal', components: { InputWrapper: { defaultProps: { withAsterisk: false } } } }}
    >
      <QueryClientProvider client={createQueryClient()}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

import './styles.js';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startOutbox } from './api/outbox.js';
import { createQueryClient, followOtherTabs, readSession } from './api/session.js';
import { followTheme } from './api/theme.js';
import { guardPresses } from './parts/press.js';
import { App } from './shell/app.js';
import { languageOfBrowser, loadWords } from './words/words.js';

followTheme();
guardPresses();
const queries = createQueryClient();
followOtherTabs(queries);
startOutbox(queries);
// Both are needed before anything is shown, and are asked for at the same time; until then the skeleton of index.html
// stands. They are not awaited here: the sentences import from this file, which would wait for them.
void Promise.all([loadWords(languageOfBrowser()), readSession(queries)]).then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  ),
);

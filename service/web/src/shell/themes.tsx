import type { ReactNode } from 'react';
import { storeTheme, themes, useTheme } from '../api/theme.js';
import { useWords } from '../words/words.js';

/** Light, dark, or the system's setting. */
export function Themes(): ReactNode {
  const words = useWords();
  const presentTheme = useTheme();
  return (
    <fieldset className="languages" aria-label={words.theme}>
      {themes.map((theme) => (
        <button key={theme} type="button" aria-pressed={theme === presentTheme} onClick={() => storeTheme(theme)}>
          {words.themes[theme]}
        </button>
      ))}
    </fieldset>
  );
}

/** Light or dark pages: the system's setting, or the choice stored in this browser. */
import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'clockproof.theme';
const darkQuery = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function storedTheme(): Theme {
  const value = localStorage.getItem(storageKey);
  return value === 'light' || value === 'dark' ? value : 'system';
}

function currentScheme(): 'light' | 'dark' {
  const theme = storedTheme();
  return theme === 'system' ? (darkQuery.matches ? 'dark' : 'light') : theme;
}

function apply(): void {
  // Mantine's styles look at this attribute too.
  document.documentElement.dataset['mantineColorScheme'] = currentScheme();
  for (const listener of listeners) listener();
}

/** Follows the system and other tabs from now on. */
export function followTheme(): void {
  apply();
  darkQuery.addEventListener('change', apply);
  window.addEventListener('storage', ({ key }) => {
    if (key === storageKey) apply();
  });
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, storedTheme);
}

export function useScheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, currentScheme);
}

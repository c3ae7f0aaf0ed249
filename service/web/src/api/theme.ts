/** Light or dark pages: as the system has it, or as this browser chose. */
import { useSyncExternalStore } from 'react';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const kept = 'clockproof.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function chosen(): Theme {
  const value = localStorage.getItem(kept);
  return value === 'light' || value === 'dark' ? value : 'system';
}

function scheme(): 'light' | 'dark' {
  const theme = chosen();
  return theme === 'system' ? (system.matches ? 'dark' : 'light') : theme;
}

function apply(): void {
  // Mantine's styles look at this attribute too.
  document.documentElement.dataset['mantineColorScheme'] = scheme();
  for (const listener of listeners) listener();
}

/** Follows the system and other tabs from now on. */
export function followTheme(): void {
  apply();
  system.addEventListener('change', apply);
  window.addEventListener('storage', ({ key }) => {
    if (key === kept) apply();
  });
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(kept, theme);
  apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosen);
}

export function useScheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, scheme);
}

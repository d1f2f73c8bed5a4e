import { createStore } from './store.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const key = 'cleo.theme';

export const theme = createStore<Theme>(readTheme());

function readTheme(): Theme {
  const stored = localStorage.getItem(key);
  return themes.find((name) => name === stored) ?? 'system';
}

export function setTheme(next: Theme): void {
  localStorage.setItem(key, next);
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  theme.set(next);
}

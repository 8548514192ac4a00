// Light, dark, or as the system has it; remembered in the browser and followed while the page is open. An address may ask for one
// (`?theme=dark`, for pages that are shown within others), and paper is light.
import { useSyncExternalStore } from 'react';
import { browserKept } from './kept.ts';

export type Theme = 'system' | 'light' | 'dark';
type Shown = 'light' | 'dark';

const key = 'svc.theme';
const themes: readonly Theme[] = ['system', 'light', 'dark'];
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const watchers = new Set<() => void>();
let isOnPaper = false;

export const chosenTheme = (): Theme => themes.find((theme) => theme === browserKept.getItem(key)) ?? 'system';

function askedByAddress(): Theme | undefined {
  const asked = new URLSearchParams(window.location.hash.split('?')[1] ?? '').get('theme');
  return themes.find((theme) => theme === asked);
}

export const shownTheme = (): Shown => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light');

function show(): void {
  const theme = isOnPaper ? 'light' : (askedByAddress() ?? chosenTheme());
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  for (const watcher of watchers) watcher();
}

export function chooseTheme(theme: Theme): void {
  browserKept.setItem(key, theme);
  show();
}

export function nextTheme(): Theme {
  const next = themes[(themes.indexOf(chosenTheme()) + 1) % themes.length] ?? 'system';
  chooseTheme(next);
  return next;
}

export function showOnPaper(isPaper: boolean): void {
  isOnPaper = isPaper;
  show();
}

export function followTheme(): void {
  dark.addEventListener('change', show);
  window.addEventListener('hashchange', show);
  show();
}

/** For what is drawn in colours of its own. */
export const useShownTheme = (): Shown =>
  useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, shownTheme);

// Light, dark, or as the system has it; remembered in the browser and followed while the page is open.
export type Theme = 'system' | 'light' | 'dark';

const key = 'svc.theme';
const themes: readonly Theme[] = ['system', 'light', 'dark'];
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export const chosenTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(key)) ?? 'system';

function show(): void {
  const theme = chosenTheme();
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  show();
}

export function nextTheme(): Theme {
  const next = themes[(themes.indexOf(chosenTheme()) + 1) % themes.length] ?? 'system';
  chooseTheme(next);
  return next;
}

export function followTheme(): void {
  dark.addEventListener('change', show);
  show();
}

// Notebooks that were open in this browser, newest first. Sessions end with the server; paths stay, so a page whose session
// is gone finds its notebook again here.
import { browserKept } from './ui/kept.ts';

export interface Recent {
  readonly path: string;
  readonly name: string;
  readonly sessionId: string;
  readonly openedAt: number;
}

const key = 'svc.recents';
const kept = 30;

const isRecent = (value: unknown): value is Recent =>
  typeof value === 'object' && value !== null && 'path' in value && 'sessionId' in value && 'openedAt' in value;

export function recents(): readonly Recent[] {
  try {
    const stored: unknown = JSON.parse(browserKept.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent) : [];
  } catch {
    return [];
  }
}

export function remember(recent: Omit<Recent, 'openedAt'>): void {
  const others = recents().filter(({ path }) => path !== recent.path);
  browserKept.setItem(key, JSON.stringify([{ ...recent, openedAt: Date.now() }, ...others].slice(0, kept)));
}

export function forget(path: string): void {
  browserKept.setItem(key, JSON.stringify(recents().filter((recent) => recent.path !== path)));
}

export const pathOfSession = (sessionId: string): string | undefined =>
  recents().find((recent) => recent.sessionId === sessionId)?.path;

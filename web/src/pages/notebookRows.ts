// One list out of three: what lies on disk, what is open, and what this browser opened lately.
import type { DiscoverBody } from '../../../src/protocol/index.ts';
import type { OpenSession } from '../api/index.ts';
import type { Recent } from '../recents.ts';

export interface ListedNotebook {
  readonly path: string;
  readonly name: string;
  readonly updatedAt: number | null;
  readonly openedAt: number | null;
  readonly isOpen: boolean;
  readonly isRunning: boolean;
  readonly lastRun: { readonly at: number; readonly failed_cells: number } | null;
}

export function listed(
  notebooks: DiscoverBody['notebooks'],
  sessions: readonly OpenSession[],
  recent: readonly Recent[],
): ListedNotebook[] {
  const open = new Map(sessions.map((session) => [session.path, session]));
  const openedAt = new Map(recent.map((entry) => [entry.path, entry.openedAt]));
  return notebooks
    .map(({ path, name, updated_at, last_run }) => ({
      path,
      name: name ?? 'Untitled',
      updatedAt: updated_at === null ? null : Date.parse(updated_at.replace(' ', 'T')) || null,
      openedAt: openedAt.get(path) ?? null,
      isOpen: open.has(path),
      isRunning: open.get(path)?.is_running ?? false,
      lastRun: last_run ?? null,
    }))
    .sort((a, b) => Math.max(b.openedAt ?? 0, b.updatedAt ?? 0) - Math.max(a.openedAt ?? 0, a.updatedAt ?? 0));
}

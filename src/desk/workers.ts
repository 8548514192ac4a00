// The workers of a notebook in few words.
import type { z } from 'zod';
import { hiding, passwordsIn } from '../errors/index.ts';
import type { workerSpec } from '../protocol/index.ts';

export type DefinedWorker = z.infer<typeof workerSpec>;

export interface WorkerView {
  readonly name: string;
  readonly backend: string;
  readonly transport: string;
  readonly url: string | null;
  readonly runtime_id: string | null;
  readonly token_env: string | null;
  readonly is_default: boolean;
}

export interface WorkerListView {
  /** Null: cells run on this machine. */
  readonly default: string | null;
  readonly editable: boolean;
  readonly workers: readonly WorkerView[];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** Without the password that it may hold. */
const shownUrl = (url: string | null): string | null => (url === null ? null : hiding(passwordsIn(url))(url));

export function workerListView(
  own: readonly Readonly<DefinedWorker>[],
  chosen: string | null,
  editable: boolean,
): WorkerListView {
  const local = { name: 'local', backend: 'local', transport: 'local', url: null, runtime_id: null, token_env: null };
  const defined = own.map(({ name, backend, runtime_id, config }) => ({
    name,
    backend,
    transport: backend === 'local' ? 'local' : (textOf(config.transport) ?? 'direct'),
    url: shownUrl(textOf(config.url)),
    runtime_id,
    token_env: textOf(config.token_env),
  }));
  const isDefault = (name: string): boolean => name === (chosen ?? 'local');
  return {
    default: chosen === 'local' ? null : chosen,
    editable,
    workers: [local, ...defined].map((worker) => ({ ...worker, is_default: isDefault(worker.name) })),
  };
}

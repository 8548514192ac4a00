// `svc export`: a notebook as something to take along. It is read as it lies there; nothing is run or installed for it.
import fs from 'node:fs/promises';
import { browseTable, wholeTable } from '../../engine/index.ts';
import { bundleMembers, notebookText, type OpenSession, snapshotMembers, zipOf } from '../../notebook/index.ts';
import { UsageError } from '../failure.ts';
import { writeOut } from '../outFile.ts';
import { withOffline } from './here.ts';
import { notebookIn } from './target.ts';

export interface ExportOptions {
  readonly to: string;
  readonly out?: string;
  readonly include: string;
  readonly cells: string;
  readonly force?: boolean;
  readonly includeInactiveVariants?: boolean;
  readonly appView?: boolean;
  readonly comments?: boolean;
  /** False with `--no-console`. */
  readonly console: boolean;
  readonly maxOutputBytes: string;
}

const kinds = ['markdown', 'html', 'snapshot', 'zip', 'ipynb', 'script'] as const;
const includes = ['all', 'selected', 'none'] as const;
type Include = (typeof includes)[number];

export async function exportNotebook(directory: string, options: ExportOptions): Promise<void> {
  const place = notebookIn(directory);
  const { out } = options;
  const kind = oneOf('--to', kinds, options.to);
  const include = oneOf('--include', includes, options.include);
  if (!/^\d+$/.test(options.maxOutputBytes))
    throw new UsageError('--max-output-bytes: a number of bytes; 0 cuts nothing');
  const selected = options.cells.split(',').filter((id) => id !== '');
  const isZip = kind === 'snapshot' || kind === 'zip';
  if (isZip && out === undefined) throw new UsageError(`a ${kind} needs --out FILE`);
  if (isZip && out !== undefined && !options.force && (await sizeOf(out)) > 0)
    throw new UsageError(`${out} is there already; --force replaces it`);
  await withOffline(async (offline) => {
    const session = await offline.open(place, { sync: false });
    const unknown = selected.filter((id) => !session.live.session().facts.has(id));
    if (unknown.length > 0) throw new Error(`No such cell(s) in this notebook: ${unknown.join(', ')}`);
    if (isZip) return writeZip(session, kind, { include, selected, out: out ?? '' });
    const page = {
      appView: options.appView ?? false,
      inactiveVariants: options.includeInactiveVariants ?? false,
      console: options.console,
      comments: options.comments ?? false,
      maxOutputBytes: Number(options.maxOutputBytes) || Number.POSITIVE_INFINITY,
    };
    const text = await notebookText(session.live, kind, page, async (file, limit) =>
      browseTable(offline.data(), wholeTable(file), 0, limit),
    );
    if (out === undefined) process.stdout.write(text);
    else await writeOut(out, text);
  });
}

function oneOf<T extends string>(option: string, known: readonly T[], given: string): T {
  const found = known.find((one) => one === given);
  if (found === undefined) throw new UsageError(`${option}: one of ${known.join(', ')}`);
  return found;
}

async function writeZip(
  { live, environment }: OpenSession,
  kind: 'snapshot' | 'zip',
  { include, selected, out }: { readonly include: Include; readonly selected: readonly string[]; readonly out: string },
): Promise<void> {
  const hash = environment.state().lockfile_hash;
  const members =
    kind === 'zip' ? await bundleMembers(live, hash) : await snapshotMembers(live, hash, include, selected);
  await writeOut(out, await zipOf(members));
  const carried = members.filter(({ name }) => name.startsWith('artifacts/')).length;
  process.stdout.write(`${out}: ${live.notebook().cells.length} cells, ${carried} artifacts\n`);
}

const sizeOf = async (file: string): Promise<number> => (await fs.stat(file).catch(() => ({ size: 0 }))).size;

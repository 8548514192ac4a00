// Notebooks of Jupyter, imported and run here as `svc import` and `svc run` do it, in an environment that is there already.
import fs from 'node:fs/promises';
import path from 'node:path';
import { driverOf, type RunDriver } from '../../src/cli/notebook/runDrivers.ts';
import { createDesk } from '../../src/desk/index.ts';
import { readSyncRecord, writeSyncRecord } from '../../src/environments/syncRecord.ts';
import { jupyterNotebook } from '../../src/notebook/exchange/ipynb.ts';
import { wholeRecords } from '../../src/notebook/exchange/wholeOutputs.ts';
import { bringFiles, createNotebook, filesBeside, newNotebookOf, readForeign } from '../../src/notebook/index.ts';
import type { CellRecord } from '../../src/protocol/index.ts';
import { createOffline } from '../../src/server/offline.ts';
import { loadSettings } from '../../src/settings/index.ts';

export interface RanHere {
  /** The code cells, in the order of the notebook. */
  readonly cells: readonly CellHere[];
  /** As Jupyter's file, with the sources that cells have here. */
  readonly exported: object;
  /** Milliseconds. */
  readonly first: number;
  readonly second: number;
}

export interface CellHere {
  readonly status: 'ok' | 'error' | 'skipped';
  readonly error: string | undefined;
  readonly record: CellRecord;
  /** What the report of the import says about this cell. */
  readonly foretold: readonly string[];
}

export interface Here extends AsyncDisposable {
  /** `files` is a folder whose content lies beside the notebook. */
  run(name: string, jupyter: object, files: string | undefined): Promise<RanHere>;
}

export async function openHere(folder: string, environment: string): Promise<Here> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const env = { ...Object.fromEntries(inherited), SVC_NOTEBOOK_STORAGE_DIR: folder };
  const { settings } = loadSettings({ env, cwd: folder });
  const offline = createOffline(settings, undefined, { defaultTimeout: 120 });
  return {
    async run(name, jupyter, files) {
      const beside = files === undefined ? undefined : await filesBeside(path.join(files, `${name}.ipynb`));
      const converted = await readForeign(offline.foreign, `${name}.ipynb`, JSON.stringify(jupyter), beside);
      const [python] = await offline.pythons();
      const wanted = newNotebookOf(converted, { name, pythonVersion: python?.version ?? '3.13' });
      const { directory, cells } = await createNotebook(folder, wanted);
      // As for somebody who says yes to what is offered.
      const named = converted.files.filter(({ standing }) => standing === 'beside').map((file) => file.path);
      if (files !== undefined) await bringFiles(files, named, directory);
      await lendEnvironment(directory, environment);
      const session = await offline.open(directory, { sync: false });
      const driver = await driverOf(
        createDesk(session, () => {}),
        () => offline.sessions.close(session.sessionId, 'closed'),
      );
      try {
        const { took: first, outcomes } = await runAll(driver);
        const records = await wholeRecords(session.live);
        const { took: second } = await runAll(driver);
        const foretold = (id: string): string[] =>
          converted.report.findings
            .filter(({ cell }) => cells[cell]?.id === id)
            .map(({ kind, text }) => `${kind} ${text}`);
        const code = records.filter(({ language }) => language !== 'markdown');
        return {
          first,
          second,
          exported: jupyterNotebook({ name, cells: records, imported: () => undefined, facts: unknownToJupyter }),
          cells: code.map((record) => ({
            status: outcomes.get(record.id)?.status ?? 'skipped',
            error: outcomes.get(record.id)?.error,
            record,
            foretold: foretold(record.id),
          })),
        };
      } finally {
        await driver.close();
      }
    },
    [Symbol.asyncDispose]: () => offline.close(),
  };
}

/** The notebook takes the environment for one that was installed for it. */
async function lendEnvironment(directory: string, environment: string): Promise<void> {
  await fs.symlink(environment, path.join(directory, '.venv'));
  const python = { last_synced_at: null, last_sync_duration_ms: null, fingerprint: '', lockfile_hash: 'corpus' };
  await writeSyncRecord(directory, { ...(await readSyncRecord(directory)), python });
}

/** A notebook that came from Jupyter would go back as it came. */
const unknownToJupyter = { metadata: {}, cells: {}, others: [] };

type Outcome = Pick<CellHere, 'status' | 'error'>;

/** As `svc run` does it: what a failure spoils is skipped. */
async function runAll(driver: RunDriver): Promise<{ took: number; outcomes: ReadonlyMap<string, Outcome> }> {
  const began = performance.now();
  const outcomes = new Map<string, Outcome>();
  for (const id of driver.order) {
    const { language, upstream_ids } = driver.about(id);
    if (language === 'markdown') continue;
    const isSpoilt = upstream_ids.some((above) => (outcomes.get(above)?.status ?? 'ok') !== 'ok');
    const report = isSpoilt ? { status: 'skipped' as const } : await driver.run(id, 'normal');
    outcomes.set(id, { status: report.status, error: 'error' in report ? report.error : undefined });
  }
  return { took: performance.now() - began, outcomes };
}

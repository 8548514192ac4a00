// `svc doctor --deep`: everything that always holds of the store and of every notebook.
import fs from 'node:fs/promises';
import path from 'node:path';
import { type Flaw, flawsOfStore } from '../artifacts/index.ts';
import { discoverNotebooks, flawsOfNotebook, foldersWithoutFile, notebookFolders } from '../notebook/index.ts';
import type { Settings } from '../settings/index.ts';
import { withStore } from './artifact/store.ts';
import { reasonOf } from './failure.ts';
import type { Finding } from './finding.ts';
import { bytesText } from './print.ts';
import { clearLine, showLine } from './progressLine.ts';

export interface DeepOptions {
  readonly artifactDir?: string | undefined;
  readonly notebookDir?: string | undefined;
}

export async function lookDeep(settings: Settings, options: DeepOptions, signal: AbortSignal): Promise<Finding[]> {
  try {
    return [
      ...(await storeFindings(settings, options, signal)),
      ...(await notebookFindings(options.notebookDir ?? settings.notebookStorageDir, signal)),
    ];
  } finally {
    clearLine();
  }
}

const findingOf = (what: string, { level, code, where, found, remedy }: Flaw): Finding => ({
  what,
  level,
  code,
  where,
  found,
  remedy,
});

async function storeFindings(settings: Settings, options: DeepOptions, signal: AbortSignal): Promise<Finding[]> {
  const what = 'Store';
  const artifactDir = options.artifactDir ?? settings.artifactDir;
  const isLocal = options.artifactDir !== undefined || settings.artifactMetadataDsn === null;
  if (artifactDir === null) return [{ what, level: 'ok', found: 'this server has none' }];
  const file = path.join(artifactDir, 'artifacts.sqlite');
  // Before it is opened, which closes it.
  const mode = isLocal ? (await fs.stat(file).catch(() => undefined))?.mode : 0;
  if (mode === undefined) return [{ what, level: 'ok', found: `${artifactDir} holds none yet` }];
  const findings: Finding[] = [];
  if ((mode & 0o007) !== 0) findings.push(openToOthers(file, mode));
  let [versions, bytes] = [0, 0];
  try {
    await withStore({ artifactDir: options.artifactDir }, async ({ artifacts: { parts } }) => {
      const { database, blobs } = parts;
      const onVersion = ({ byteSize, canonical }: { byteSize: number | null; canonical: object | null }): void => {
        versions += 1;
        if (!canonical) bytes += byteSize ?? 0;
        showLine(`store: ${versions} versions, ${bytesText(bytes)}`);
      };
      const checked = { queries: database.beside, blobs, dialect: database.dialect, signal, onVersion };
      for await (const flaw of flawsOfStore(checked)) findings.push(findingOf(what, flaw));
    });
  } catch (error) {
    signal.throwIfAborted();
    const remedy = 'Do what it says, or restore the last backup with svc restore.';
    return [
      ...findings,
      { what, level: 'problem', code: 'store_unusable', where: file, found: reasonOf(error), remedy },
    ];
  }
  const summary: Finding = { what, level: 'ok', found: `${versions} versions with ${bytesText(bytes)} looked at` };
  return [summary, ...findings];
}

function openToOthers(file: string, mode: number): Finding {
  return {
    what: 'Store',
    level: 'problem',
    code: 'open_to_others',
    where: file,
    found: `${file} had mode ${(mode & 0o777).toString(8)}: other accounts could read keys and results`,
    remedy: 'It was closed to them just now; make new API keys if somebody else may have read it.',
  };
}

async function notebookFindings(root: string, signal: AbortSignal): Promise<Finding[]> {
  const folders = await notebookFolders(root);
  const findings: Finding[] = [];
  for (const [index, folder] of folders.entries()) {
    signal.throwIfAborted();
    showLine(`notebooks: ${index + 1} of ${folders.length}, ${folder}`);
    const name = path.relative(root, folder) || path.basename(folder);
    for (const flaw of await flawsOfNotebook(folder, signal)) findings.push(findingOf(name, flaw));
  }
  return [
    { what: 'Notebooks', level: 'ok', found: `${folders.length} below ${root} looked at` },
    ...findings,
    ...(await sharedIds(root)),
    ...(await lostFiles(root)),
  ];
}

/** A notebook that was copied by hand has the id of the other. */
async function sharedIds(root: string): Promise<Finding[]> {
  const byId = Map.groupBy(await discoverNotebooks(root), ({ notebook_id }) => notebook_id);
  return [...byId].flatMap(([id, notebooks]) => {
    const [first, ...copies] = notebooks.map((one) => path.relative(root, one.path)).sort();
    return copies.map((copy) => ({
      what: copy,
      level: 'warning' as const,
      code: 'id_used_twice',
      where: 'notebook.toml',
      found: `its notebook_id ${id} is that of ${first} too: names and promoted results of the two are mixed up`,
      remedy: 'Give the copy an id of its own in notebook.toml (uuidgen makes one); its cells run again.',
    }));
  });
}

async function lostFiles(root: string): Promise<Finding[]> {
  return (await foldersWithoutFile(root)).map((folder) => ({
    what: path.relative(root, folder) || path.basename(folder),
    level: 'problem' as const,
    code: 'notebook_file_missing',
    where: 'notebook.toml',
    found: 'it has cells and results, and no notebook.toml: nobody finds the notebook',
    remedy: 'Bring notebook.toml back from version control or a backup, or delete the folder.',
  }));
}

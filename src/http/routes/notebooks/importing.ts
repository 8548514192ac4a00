// Notebooks that come from elsewhere: Jupyter's, scripts, and snapshots of ours.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isForeignLock, type ListBeside, listNames, maxImportCharacters } from '../../../environments/index.ts';
import { refusals } from '../../../errors/index.ts';
import { intoFile } from '../../../files/index.ts';
import {
  type Beside,
  importedName,
  importSnapshot,
  newNotebookOf,
  notebookDirectory,
  notebookPlace,
  notebookRoot,
  openNotebookRoot,
  readForeign,
  resolveInside,
  writeReport,
} from '../../../notebook/index.ts';
import { readMultipart, readSmall } from '../../../pipes/index.ts';
import {
  detailBody,
  detailObjectBody,
  foreignReport,
  notebookState,
  snapshotReport,
  validationBody,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import { RequestInvalid } from '../../errors/validation.ts';
import type { App, Services } from '../../services.ts';
import { acceptStreams } from '../artifacts/bodies.ts';
import { openedState } from './shared.ts';

const maxNotebookBytes = 50 * 1024 * 1024;
const maxSnapshotBytes = 2 * 1024 ** 3;
const tags = ['notebooks'];
const answered = { 400: detailBody, 409: detailObjectBody, 413: detailBody, 422: validationBody };

export function importRoutes(app: App, services: Services): void {
  const { settings, sessions, holds, pythons, foreign } = services;

  const parentFor = async (request: FastifyRequest, parentPath: string): Promise<string> =>
    resolveInside(await openNotebookRoot(settings, request.caller), parentPath, 'parent path');

  app.register(async (scope: App) => {
    acceptStreams(scope);

    scope.post(
      '/v1/notebooks/import',
      {
        config: needs('notebook:write'),
        schema: {
          tags,
          summary: 'Bring in a Jupyter notebook or a script',
          description:
            'Lists of packages that lie beside it may come as parts named `beside`, by their file names; `files` tells what else lies there, as JSON: `[{"path": "data/prices.csv", "size": 1200}]`, of modules in Python with their `text`, so that what they import is found. `data_files` of the report are those that cells name: upload the ones that shall come along.',
          consumes: ['multipart/form-data'],
          response: { ...answered, 200: notebookState.extend({ import_report: foreignReport }) },
        },
      },
      async (request, reply) => {
        const { fields, file, lists } = await formOf(request, async (body) =>
          readSmall(body, maxNotebookBytes, () => refusals.importTooLarge(maxNotebookBytes)),
        );
        if (file.content === '') throw refusals.importEmpty('.ipynb');
        const [version] = (await pythons()).map((one) => one.version);
        if (version === undefined) throw refusals.pythonNotAvailable('3');
        const name = fields.name ?? importedName(file.name);
        const converted = await readForeign(foreign, file.name, file.content, {
          files: filesNamed(fields.files),
          lists,
        });
        const wanted = newNotebookOf(converted, { name, pythonVersion: version });
        const parent = await parentFor(request, fields.parent_path ?? '.');
        const { session, import_report } = await holds.tracked(notebookPlace(parent, name), async () => {
          const created = await sessions.create(parent, wanted, request.caller);
          return {
            session: created,
            import_report: await writeReport(created.live.notebook(), file.name, converted),
          };
        });
        return { ...(await openedState(services, request, reply, session)), import_report };
      },
    );

    scope.post(
      '/v1/notebooks/import-snapshot',
      {
        config: needs('notebook:write'),
        schema: {
          tags,
          summary: 'Bring in a snapshot with its results',
          consumes: ['multipart/form-data'],
          response: { ...answered, 200: notebookState.extend({ import_report: snapshotReport }) },
        },
      },
      async (request, reply) => {
        const upload = path.join(os.tmpdir(), `svc-snapshot-${randomUUID()}`);
        try {
          const { fields, file } = await formOf(request, (body) => savedTo(upload, body));
          if (file.content === 0) throw refusals.importEmpty('snapshot');
          const parent = await parentFor(request, fields.parent_path ?? '.');
          const place = notebookPlace(parent, fields.name ?? importedName(file.name));
          const report = await holds.writing(place, async () => {
            const directory = await notebookDirectory(parent, fields.name ?? importedName(file.name));
            return importSnapshot(upload, {
              directory,
              name: fields.name,
              root: notebookRoot(settings, request.caller),
              takesLock: async (text) => settings.deploymentMode === 'personal' || !(await isForeignLock(text)),
            });
          });
          const session = await sessions.open(place, request.caller);
          return { ...(await openedState(services, request, reply, session)), import_report: report };
        } finally {
          await fs.rm(upload, { force: true });
        }
      },
    );
  });
}

interface Form<Content> {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly name: string; readonly content: Content };
  /** Lists of packages that came with it. */
  readonly lists: readonly ListBeside[];
}

const maxFilesText = 2 * 1024 * 1024;
const fileNames = z
  .array(z.object({ path: z.string().max(3072), size: z.int().min(0), text: z.string().optional() }))
  .max(10_000);

/** What the client says that lies beside the notebook. */
function filesNamed(text = '[]'): Beside['files'] {
  try {
    return fileNames.parse(JSON.parse(text));
  } catch {
    const msg = 'Input should be JSON: a list of at most 10000 files, each with its path and its size';
    throw new RequestInvalid([{ type: 'value_error', loc: ['body', 'files'], msg }]);
  }
}

/** The fields of a form and its one file, which `read` takes in as it comes. */
async function formOf<Content>(
  request: FastifyRequest,
  read: (body: AsyncIterable<Uint8Array>) => Promise<Content>,
): Promise<Form<Content>> {
  const fields: Record<string, string> = {};
  const lists: ListBeside[] = [];
  let file: Form<Content>['file'] | undefined;
  const pieces = request.raw.iterator({ destroyOnReturn: false });
  for await (const part of readMultipart(pieces, request.headers['content-type'] ?? '')) {
    if (part.name === 'file') file = { name: part.filename ?? 'notebook', content: await read(part.body) };
    else if (part.name === 'beside' && part.filename !== undefined) lists.push(await listOf(part.filename, part.body));
    else {
      const most = part.name === 'files' ? maxFilesText : 4096;
      fields[part.name] = await readSmall(part.body, most, () => refusals.fieldTooLong(part.name));
    }
  }
  if (!file) throw new RequestInvalid([{ type: 'missing', loc: ['body', 'file'], msg: 'Field required' }]);
  return { fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')), file, lists };
}

async function listOf(name: string, body: AsyncIterable<Uint8Array>): Promise<ListBeside> {
  if (!listNames.includes(name)) {
    const msg = `Input should be one of ${listNames.join(', ')}; upload other files once the notebook is there`;
    throw new RequestInvalid([{ type: 'value_error', loc: ['body', 'beside'], msg }]);
  }
  return { name, text: await readSmall(body, maxImportCharacters, () => refusals.fieldTooLong(name)) };
}

async function savedTo(target: string, body: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  await pipeline(async function* () {
    for await (const piece of body) {
      length += piece.length;
      if (length > maxSnapshotBytes) throw refusals.importTooLarge(maxSnapshotBytes);
      yield piece;
    }
  }, intoFile(target));
  return length;
}

// A job in the words of `python/svc_runtime`.

import type {
  AmbientAccess,
  CodeQuestion,
  InputFile,
  Job,
  KeptJob,
  ModuleSlice,
  Place,
  TypingTools,
} from '../runtime.ts';

export function runOrder(job: Job): object {
  return {
    task: 'run',
    ...place(job),
    cell_id: job.cellId,
    source: job.source,
    wanted: job.wanted,
    stores_all: job.storesAll ?? false,
    keeps_bytes: job.keepsBytes ?? 0,
    known: job.known ?? {},
    mutation_defines: job.mutationDefines,
    module_slices: mapValues(job.moduleSlices, sliceOrder),
    settings: job.settings ?? {},
    remakes: job.remakes ?? false,
    output_dir: job.outputDir,
    codec: job.codec,
    until: job.untilExpr,
    tests: job.testSource,
    asks: job.ask !== undefined,
    stops_at: job.stopsAt ?? [],
    lenders: mapValues(job.lenders ?? {}, ({ source, stopsAt }) => ({ source, stops_at: stopsAt })),
    attaches: job.attachesEditors ?? false,
    keeps_failure: job.keptFailure?.mostBytes ?? 0,
    // Few cells use it: those that do not mention it do not load it.
    ambient: job.ambient && mentionsClient.test(job.source) ? ambientOrder(job.ambient, job.cellId) : null,
  };
}

const mentionsClient = /\bsvc\b/;

const ambientOrder = ({ url, token, promoteUrl, inputs }: AmbientAccess, cellId: string): object => ({
  url,
  token,
  cell_id: cellId,
  promote_url: promoteUrl,
  inputs,
});

export function inspectOrder(where: Place): object {
  return { task: 'inspect', ...place(where) };
}

export function keepOrder(job: KeptJob): object {
  const { cellId: cell_id, source, settings, mostBytes: most_bytes } = job;
  return { task: 'keep', ...place(job), cell_id, source, settings, most_bytes };
}

export function completeOrder(where: Place, { jediFolder, languageServer }: TypingTools): object {
  return { task: 'complete', ...place(where), jedi_folder: jediFolder, language_server: languageServer };
}

export function questionOrder({ inputs, ...question }: CodeQuestion): object {
  return { ...question, inputs: mapValues(inputs, inputOrder) };
}

function place({ inputs, env, workDir, notebookDir }: Place): object {
  return { inputs: mapValues(inputs, inputOrder), env, work_dir: workDir, notebook_dir: notebookDir };
}

function inputOrder({ contentType, file, injected = {}, variants = {} }: InputFile): object {
  return {
    content_type: contentType,
    file,
    injected: mapValues(injected, inputOrder),
    variants: mapValues(variants, inputOrder),
  };
}

function sliceOrder({ moduleName, kind, source, provenanceHash, injected }: ModuleSlice): object {
  return { module_name: moduleName, kind, source, provenance_hash: provenanceHash, injected };
}

function mapValues<V>(record: Readonly<Record<string, V>>, map: (value: V) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

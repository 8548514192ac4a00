// What has to hold once a fault is over: nothing that was answered for is lost or half there, and everything works again.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type NotebookState, nameStatusBody } from '../../src/protocol/index.ts';
import { buildNow, isOver } from '../kit/builds.ts';
import { runSvc } from '../kit/server.ts';
import { doubtOf, type Ledger } from './ledger.ts';
import { declaredIn } from './load/packages.ts';
import { seenIn, shownBy } from './load/runs.ts';
import { digestOf, placeOf } from './load/stores.ts';
import { descendantsOf, processesOf } from './tree.ts';
import { type World, workerName } from './world.ts';

/** How long anything may take that has to come about by itself. */
const patience = 60_000;

/** Asks again and again until it is so; false when it never was. */
async function eventually(isSo: () => Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + patience; performance.now() < until; await pause(10))
    if (await isSo().catch(() => false)) return true;
  return false;
}

/** How many ms pass until store and notebooks answer; undefined when they never do. */
export async function timeToAnswer(world: World, since: number): Promise<number | undefined> {
  const answers = async (): Promise<boolean> => {
    const { rest } = world.server;
    const stats = await rest.get('/v1/artifacts/stats');
    const opened = await rest.post('/v1/notebooks/open', { json: { path: world.notebook.path } });
    return stats.status === 200 && opened.status === 200;
  };
  return (await eventually(answers)) ? performance.now() - since : undefined;
}

export async function findingsOf(world: World, ledger: Ledger): Promise<string[]> {
  const notebook = await world.reopen();
  const state = await notebook.state();
  const findings = [
    ...ledger.wrong,
    ...sourcesOf(world, state, ledger),
    ...(await bytesOf(world, ledger)),
    ...(await namesOf(world, ledger)),
    ...(await buildsOf(world, ledger)),
    ...(await mountedOf(world, ledger)),
    ...(await packagesOf(world, ledger)),
    ...(await runsOf(world)),
    ...(await strangersOf(world)),
  ];
  return [...findings, ...(await doctorsOf(world))];
}

function sourcesOf({ notebook }: World, { cells }: NotebookState, ledger: Ledger): string[] {
  const findings: string[] = [];
  for (const [id, written] of ledger.cells) {
    const cell = cells.find((one) => one.id === id);
    const doubt = doubtOf(written, cell?.source);
    if (doubt !== undefined) findings.push(`cell ${id} ${doubt}`);
    const onDisk = fs.readFileSync(
      path.join(notebook.path, 'cells', cell?.language === 'r' ? `${id}.r` : `${id}.py`),
      'utf8',
    );
    const doubtOnDisk = doubtOf(written, onDisk);
    if (doubtOnDisk !== undefined) findings.push(`the file of cell ${id} ${doubtOnDisk}`);
    if (cell?.status === 'running') findings.push(`cell ${id} still counts as running`);
    const shown = shownBy(cell?.source ?? '');
    if (cell?.status !== 'ready' || Number.isNaN(shown)) continue;
    const seen = seenIn(cell.source, { display: cell.display_output, stdout: cell.console_stdout });
    if (seen !== shown) findings.push(`cell ${id} is ready and shows ${seen} instead of ${shown}`);
  }
  return findings;
}

async function digestAt({ server }: World, route: string): Promise<string> {
  const response = await fetch(`${server.address}${route}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return response.status === 200
    ? digestOf(bytes)
    : `${response.status} ${Buffer.from(bytes).toString().slice(0, 200)}`;
}

async function bytesOf(world: World, { bytes }: Ledger): Promise<string[]> {
  const findings: string[] = [];
  for (const [route, digest] of bytes) {
    const found = await digestAt(world, route);
    if (found !== digest) findings.push(`${route} gives ${found} and not ${digest}`);
  }
  return findings;
}

async function namesOf(world: World, { names }: Ledger): Promise<string[]> {
  const findings: string[] = [];
  for (const [name, written] of names) {
    const answer = await world.server.rest.get(`/v1/artifacts/names/${name.replaceAll(' ', '%20')}/status`);
    const place = answer.status === 200 ? placeOf(nameStatusBody.parse(answer.json).artifact_uri) : undefined;
    const doubt = doubtOf(written, place === undefined ? undefined : await digestAt(world, `${place}/data`));
    if (doubt !== undefined) findings.push(`the name ${name} ${doubt} (${answer.status})`);
  }
  return findings;
}

/** Every build that was begun comes to an end, and what is ready can be read. */
async function buildsOf(world: World, { builds }: Ledger): Promise<string[]> {
  const findings: string[] = [];
  for (const id of builds)
    if (!(await eventually(async () => isOver(await buildNow(world.server, id)))))
      findings.push(`build ${id} never ended: ${(await world.server.rest.get(`/v1/artifacts/builds/${id}`)).text}`);
  return findings;
}

async function mountedOf({ mount }: World, { mounted }: Ledger): Promise<string[]> {
  const findings: string[] = [];
  for (const [name, written] of mounted) {
    const doubt = doubtOf(written, await mount.read(name));
    if (doubt !== undefined) findings.push(`${name} in the mount ${doubt}`);
  }
  return findings;
}

/** The environment is whole by itself; what is declared can be imported, and nothing else. */
async function packagesOf(world: World, { packages }: Ledger): Promise<string[]> {
  if (packages.size === 0) return [];
  let found: Awaited<ReturnType<typeof declaredIn>>;
  const isReady = await eventually(async () => {
    found = await declaredIn(world);
    return found?.state === 'ready';
  });
  if (!isReady || !found) return [`the environment is ${found?.state ?? 'being made without end'}`];
  const { declared } = found;
  const cell = await world.notebook.add(
    `import importlib.util\n" ".join(one for one in ${JSON.stringify([...packages.keys()])} if importlib.util.find_spec(one))`,
  );
  const { display, error } = await world.notebook.run(cell);
  const importable = new Set(String(display?.preview ?? error).split(' '));
  return [...packages].flatMap(([name, written]) => {
    const doubt = doubtOf(written, declared.has(name) ? 'declared' : 'absent');
    return [
      ...(doubt === undefined ? [] : [`package ${name} ${doubt}`]),
      ...(importable.has(name) === declared.has(name)
        ? []
        : [
            `package ${name} is ${declared.has(name) ? 'declared' : 'not declared'}; these can be imported: ${[...importable]}`,
          ]),
    ];
  });
}

/** A new cell runs to its value, here and on the worker. */
async function runsOf(world: World): Promise<string[]> {
  const findings: string[] = [];
  const { notebook, remote } = world;
  for (const place of ['here', ...(remote ? ['there'] : [])]) {
    const cell = await notebook.add(`${place === 'there' ? `# @worker ${workerName}\n` : ''}40 + 2`);
    const { status, display, error } = await notebook.run(cell);
    if (status !== 'ready' || display?.preview !== 42)
      findings.push(`a cell run ${place} afterwards ended with ${status} ${display?.preview}: ${error}`);
  }
  return findings;
}

/** What an earlier life of the server started has ended. */
async function strangersOf({ home, server }: World): Promise<string[]> {
  const strangers = () => {
    const own = new Set([server.process.pid, ...descendantsOf(server.process.pid ?? 0).map(({ pid }) => pid)]);
    return processesOf(home).filter(({ pid }) => !own.has(pid));
  };
  if (await eventually(async () => strangers().length === 0)) return [];
  return strangers().map(({ pid, command }) => `process ${pid} has outlived its server: ${command.slice(0, 200)}`);
}

async function doctorsOf({ home, env }: World): Promise<string[]> {
  const { stdout, stderr } = await runSvc(['doctor', '--deep', '--format', 'json'], { home, env });
  try {
    const { findings }: { findings: { what: string; code?: string; found: string }[] } = JSON.parse(stdout);
    return findings.flatMap(({ what, code, found }) =>
      code === undefined ? [] : [`svc doctor, ${what}: ${code}, ${found}`],
    );
  } catch {
    return [`svc doctor said ${stdout} ${stderr}`];
  }
}

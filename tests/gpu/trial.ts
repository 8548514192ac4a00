// A trial by hand on a machine with GPUs and its own tuned Python: a real worker in its own environment, a server with a
// notebook whose cells run there. Prints a table; ends with 1 when a line of it failed. Without a device only the way of
// the cells is tried. From the folder that gather.sh made:
//   node_modules/.bin/node tests/gpu/trial.ts [--python /path/to/python3]
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { deviceCount, deviceName, markedProcesses, onDevice, until, usedMemory } from './device.ts';
import { ask, type Program, push, startServer, startWorker } from './programs.ts';

const { values: options } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } });
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-gpu-trial-'));
const mark = `trial-${randomUUID()}`;
const devices = deviceCount();
const idle = usedMemory();
/** What a driver takes and gives by itself. */
const slackMiB = 64;
const table: { line: string; result: string; ms: number; note: string }[] = [];

async function line(name: string, work: () => Promise<string>): Promise<void> {
  const begun = performance.now();
  const add = (result: string, note: string): void => {
    table.push({ line: name, result, ms: Math.round(performance.now() - begun), note });
    process.stderr.write(`${result.padEnd(8)}${name}: ${note}\n`);
  };
  try {
    add('ok', await work());
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    add(said.startsWith('skipped') ? 'skipped' : 'FAILED', said);
  }
}

/** Asked once: an import of its own takes seconds. */
const found = new Map<string, boolean>();
const has = (module: string): boolean => {
  const known = found.get(module) ?? canImport(module);
  found.set(module, known);
  return known;
};

function canImport(module: string): boolean {
  try {
    execFileSync(options.python, ['-c', `import ${module}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

if (devices > 0) for (const module of ['torch', 'jax', 'cupy']) has(module);

const freed = async (): Promise<string> => {
  if (devices === 0) return 'no device';
  const ms = await until(
    () => usedMemory() <= idle + slackMiB,
    20,
    `device memory is ${usedMemory()} MiB, it was ${idle}`,
  );
  return `device memory free after ${ms.toFixed(0)} ms`;
};

const cells: Record<string, [module: string, source: string]> = {
  'torch, a product on the device': [
    'torch',
    'import torch\nx = torch.ones(4096, 4096, device="cuda")\nfloat((x @ x).sum())',
  ],
  'jax, a product on the device': [
    'jax',
    'import jax, jax.numpy as jnp\nassert jax.devices()[0].platform == "gpu", jax.devices()\nx = jnp.ones((4096, 4096))\nfloat((x @ x).sum())',
  ],
  'cupy, a product on the device': ['cupy', 'import cupy\nx = cupy.ones((4096, 4096))\nfloat((x @ x).sum())'],
  'plain Python': ['sys', 'float(4096**3)'],
};

/** Holds the slot by a file that nobody else may find, and memory of the device where there is one. */
const holder = (seconds: number): string => `
import os, time
mine = f"${folder}/slot-{os.environ.get('CUDA_VISIBLE_DEVICES', 'any')}"
os.open(mine, os.O_CREAT | os.O_EXCL)
${allocate}
time.sleep(${seconds})
os.remove(mine)`;

const allocate =
  devices > 0 && has('torch')
    ? 'import torch\n_held = torch.ones(256, 1024, 1024, device="cuda")\ntorch.cuda.synchronize()'
    : '_held = 1';

const stubborn = `
import os, time
if os.fork() == 0:
    os.setsid()
    ${allocate.replaceAll('\n', '\n    ')}
    time.sleep(600)
time.sleep(600)`;

async function tryNotebook(worker: Program): Promise<void> {
  const server = await startServer(folder);
  const notebook = await ask(server.address, 'POST', '/v1/notebooks/create', { parent_path: '.', name: 'Trial' });
  const base = `/v1/notebooks/${notebook.session_id}`;
  const far = { name: 'gpu', backend: 'executor', config: { url: worker.address, environment: 'own' } };
  await ask(server.address, 'PUT', `${base}/workers`, { workers: [far] });
  const run = async (source: string): Promise<unknown> => {
    const { id } = await ask(server.address, 'POST', `${base}/cells`, {});
    await ask(server.address, 'PUT', `${base}/cells/${id}`, { source: `# @worker gpu\n${source}` });
    const ran = await ask(server.address, 'POST', `${base}/cells/${id}/execute`);
    if (ran.error !== null) throw new Error(ran.error);
    if (ran.remote_worker !== 'gpu') throw new Error('it did not run on the worker');
    return ran.display?.preview;
  };
  for (const [name, [module, source]] of Object.entries(cells))
    for (const round of [1, 2])
      await line(`${name}, time ${round}`, async () => {
        if (module !== 'sys' && (devices === 0 || !has(module))) throw new Error(`skipped: no ${module} or no device`);
        const value = await run(`${source} + 0 * ${round}`);
        if (value !== 4096 ** 3) throw new Error(`it gave ${JSON.stringify(value)}`);
        return freed();
      });
  await line('a tensor goes from cell to cell', async () => {
    if (devices === 0 || !has('torch')) throw new Error('skipped: no torch or no device');
    await run('import torch\ntensor = torch.arange(6.0, device="cuda").reshape(2, 3)');
    const sum = await run('float(tensor.sum())');
    if (sum !== 15) throw new Error(`it gave ${JSON.stringify(sum)}`);
    return freed();
  });
  await server.stop();
}

const slots = Math.max(1, devices);
const slotted = await startWorker(['--python', pythonPath(), '--gpu-slots', String(slots)], folder, mark);
const facts: { own_environment?: object; hardware?: object } = JSON.parse(
  await (await fetch(`${slotted.address}/health?complete=true`)).text(),
);
process.stderr.write(`${deviceName() || 'no device'}; ${JSON.stringify(facts.own_environment)}\n`);
await line('the server and its notebook', async () => {
  await tryNotebook(slotted);
  return `${slots} GPU slots`;
});
await line('ten cells at once keep to the slots', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => push(slotted, holder(0.2), `slot-${n}`)));
  const wrong = answers.find(({ status, text }) => status !== 200 || /FileExistsError|"success": ?false/.test(text));
  if (wrong) throw new Error(`${wrong.status}: ${wrong.text.slice(-600)}`);
  return freed();
});
await line('an ended worker leaves no process', async () => {
  await slotted.stop();
  const ms = await until(() => markedProcesses(mark).length === 0, 5, markedProcesses(mark).join(' '));
  return `gone after ${ms.toFixed(0)} ms; ${await freed()}`;
});
await line('a killed worker leaves no process on the device', async () => {
  const doomed = await startWorker(['--python', pythonPath()], folder, mark);
  const running = [holder(600), stubborn].map((source, n) => push(doomed, source, `kill-${n}`));
  for (const one of running) one.catch(() => {});
  const isUp = (): boolean =>
    devices > 0 && allocate.includes('torch') ? onDevice(mark).length >= 2 : markedProcesses(mark).length >= 5;
  await until(isUp, 120, 'the cells hold the device');
  const held = onDevice(mark).length;
  doomed.process.kill('SIGKILL');
  const ms = await until(
    () => markedProcesses(mark).length === 0,
    10,
    `still there: ${markedProcesses(mark).join(' ')}`,
  );
  return `${held} processes on the device, all gone after ${ms.toFixed(0)} ms; ${await freed()}`;
});

console.table(table.map(({ note, ...rest }) => ({ ...rest, note: note.slice(0, 90) })));
fs.rmSync(folder, { recursive: true, force: true });
process.exit(table.some(({ result }) => result === 'FAILED') ? 1 : 0);

/** As the worker takes it: a path, not a name. */
function pythonPath(): string {
  return execFileSync(options.python, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}

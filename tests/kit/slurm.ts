// A real Slurm of one node in a temporary folder, on ports of its own, thrown away afterwards. The node claims more than this
// machine has, since its jobs mostly wait.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { needProgram } from './parts.ts';
import { freePort } from './ports.ts';
import type { Environment } from './server.ts';
import { until } from './until.ts';

export interface TestSlurm extends AsyncDisposable {
  /** For whoever uses its commands. */
  readonly env: Environment;
  /** The same, where no controller answers. */
  readonly nowhere: Environment;
  readonly node: string;
  /** Gives what the command printed. */
  run(command: string, ...args: readonly string[]): Promise<string>;
}

const run = promisify(execFile);
const hint = 'Install Slurm (Debian: apt install slurmctld slurmd slurm-client munge).';

/** Undefined when Slurm is not installed and the test was skipped. */
export async function startSlurm(
  t: TestContext,
  { cpus, memoryMb }: { readonly cpus: number; readonly memoryMb: number },
): Promise<TestSlurm | undefined> {
  const places = ['/usr/sbin'];
  const [munged, slurmctld, slurmd] = ['munged', 'slurmctld', 'slurmd'].map((name) =>
    needProgram(t, name, hint, places),
  );
  if (munged === undefined || slurmctld === undefined || slurmd === undefined) return undefined;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-slurm-'));
  const at = (name: string): string => path.join(folder, name);
  for (const name of ['munge', 'state', 'spool']) fs.mkdirSync(at(name), { mode: 0o711 });
  fs.writeFileSync(at('munge/key'), randomBytes(128), { mode: 0o400 });
  const node = os.hostname();
  fs.writeFileSync(at('slurm.conf'), await configuration(folder, node, cpus, memoryMb));
  const env = { SLURM_CONF: at('slurm.conf') };
  const elsewhere = fs
    .readFileSync(at('slurm.conf'), 'utf8')
    .replace(/^SlurmctldPort=.*$/m, `SlurmctldPort=${await freePort()}`);
  fs.writeFileSync(at('elsewhere.conf'), `${elsewhere}MessageTimeout=2\n`);
  const start = (program: string, ...args: string[]): ChildProcess =>
    spawn(program, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  // It goes to the background when it can be asked.
  await run(munged, [
    '--force',
    `--socket=${at('munge/socket')}`,
    ...['key', 'log', 'pid', 'seed'].map((name) => `--${name}-file=${at(`munge/${name}`)}`),
  ]);
  const endMunge = (): boolean => process.kill(Number(fs.readFileSync(at('munge/pid'), 'utf8')));
  const controller = start(slurmctld, '-D', '-i');
  const daemon = start(slurmd, '-D', '-N', node);
  const ask = async (command: string, ...args: readonly string[]): Promise<string> =>
    (await run(command, [...args], { env: { ...process.env, ...env } })).stdout;
  const isReady = (): Promise<boolean> =>
    ask('sinfo', '--noheader', '--format=%T').then(
      (state) => state.trim() === 'idle',
      () => false,
    );
  await until(async () => {
    if ([controller, daemon].every(({ exitCode }) => exitCode === null)) return isReady();
    for (const one of [controller, daemon]) await ended(one);
    endMunge();
    throw new Error(`Slurm did not start:\n${fs.readFileSync(at('slurmctld.log'), 'utf8')}`);
  }, 'Slurm has an idle node');
  return {
    env,
    nowhere: { SLURM_CONF: at('elsewhere.conf') },
    node,
    run: ask,
    async [Symbol.asyncDispose]() {
      await ask('scancel', `--user=${os.userInfo().username}`);
      await until(async () => (await ask('squeue', '--noheader')) === '', 'the queue of Slurm is empty');
      for (const one of [controller, daemon]) await ended(one);
      endMunge();
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await over;
}

async function configuration(folder: string, node: string, cpus: number, memoryMb: number): Promise<string> {
  return `ClusterName=test
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${await freePort()}
SlurmdPort=${await freePort()}
AuthType=auth/munge
AuthInfo=socket=${folder}/munge/socket
SlurmUser=${os.userInfo().username}
SlurmdUser=${os.userInfo().username}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=2
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=100000
DefMemPerCPU=512
NodeName=${node} NodeAddr=127.0.0.1 CPUs=${cpus} RealMemory=${memoryMb} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
}

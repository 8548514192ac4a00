// Plain Python, the limit of what runs cells: the time of a whole process, or of what a program measures by itself.
import { findPython } from '../../scripts/setup/python.js';
import type { Context, Measure } from '../line.ts';
import { NotMeasured } from '../notMeasured.ts';

export async function pythonCommand(): Promise<string> {
  const python = await findPython();
  if (!python) throw new NotMeasured('needs Python');
  return python.command;
}

/** Runs a program to its end and gives what it printed. */
export async function runPython({ sandbox }: Context, command: string, program: string): Promise<string> {
  const child = await sandbox.start(command, ['-W', 'ignore', '-c', program], { cwd: '/', env: process.env });
  if ((await child.ended) !== 0) throw new Error(`Python failed: ${child.lastOutput()}`);
  return child.lastOutput();
}

export const plainPython: Measure = async (context) => {
  const command = await pythonCommand();
  const began = performance.now();
  await runPython(context, command, 'x = 1');
  return performance.now() - began;
};

/** The median of a few: each runs one line of code in a forked process and waits for its end. */
const forks = `
import os, statistics, time
def fork():
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        exec("x = 1")
        os._exit(0)
    os.waitpid(pid, 0)
    return (time.perf_counter() - began) * 1000
print(statistics.median(fork() for _ in range(50)))
`;

export const bareFork: Measure = async (context) => Number(await runPython(context, await pythonCommand(), forks));

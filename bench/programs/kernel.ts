// Code in a Jupyter kernel, from the message that asks for it to the message that calls the kernel idle: the least that a
// notebook in Jupyter can take, without its server and its page.
import path from 'node:path';
import type { Context, Measure } from '../line.ts';
import { runPython } from './python.ts';

/** Milliseconds of `source`, the median of a few as a person would run them, after `prepared` has run once. */
export function inKernel(source: string, { prepared = '', times = 15 } = {}): Measure {
  return async (context) => {
    const { command } = await context.peer('jupyter-kernel');
    const program = `
import logging, statistics, time
from jupyter_client.manager import start_new_kernel
logging.disable()
manager, client = start_new_kernel()
def run(source):
    began = time.perf_counter()
    asked = client.execute(source)
    while True:
        heard = client.get_iopub_msg(timeout=60)
        if heard["parent_header"].get("msg_id") == asked and heard["content"].get("execution_state") == "idle":
            return (time.perf_counter() - began) * 1000
def at_leisure():
    time.sleep(0.03)
    return run(${JSON.stringify(source)})
run(${JSON.stringify(prepared)})
at_leisure()
took = statistics.median(at_leisure() for _ in range(${times}))
manager.shutdown_kernel(now=True)
print(took)`;
    return Number((await runPython(context, path.join(path.dirname(command), 'python'), program)).split('\n').at(-1));
  };
}

/** Milliseconds of all of these cells in a fresh kernel of this Python: the first time, and once more. */
export async function chainInKernel(
  context: Context,
  python: string,
  sources: readonly string[],
): Promise<{ first: number; second: number }> {
  const program = `
import json, logging, time
from jupyter_client.manager import start_new_kernel
logging.disable()
manager, client = start_new_kernel()
def run(source):
    asked = client.execute(source)
    while True:
        heard = client.get_iopub_msg(timeout=300)
        if heard["parent_header"].get("msg_id") != asked:
            continue
        if heard["msg_type"] == "error":
            raise SystemExit(heard["content"]["evalue"])
        if heard["content"].get("execution_state") == "idle":
            return
def run_all():
    began = time.perf_counter()
    for source in json.loads(${JSON.stringify(JSON.stringify(sources))}):
        run(source)
    return (time.perf_counter() - began) * 1000
try:
    run("")
    took = json.dumps({"first": run_all(), "second": run_all()})
finally:
    manager.shutdown_kernel(now=True)
print(took)`;
  const { first, second } = JSON.parse((await runPython(context, python, program)).split('\n').at(-1) ?? '');
  return { first: Number(first), second: Number(second) };
}

// What this machine has, as far as it can be read; a field that cannot be read is left out.
import { execFile } from 'node:child_process';
import os from 'node:os';
import { promisify } from 'node:util';

export interface Hardware {
  readonly cpus: number;
  readonly memory_mb: number;
  readonly accelerators?: readonly { name: string; memory_mb?: number; driver?: string }[];
  readonly cuda?: string;
}

const limitMilliseconds = 10_000;

/** What can be told without asking another program. */
export const plainHardware = (): Hardware => ({
  cpus: os.availableParallelism(),
  memory_mb: Math.floor(os.totalmem() / 2 ** 20),
});

export async function readHardware(): Promise<Hardware> {
  const plain = plainHardware();
  const listed = await ask(['--query-gpu=name,memory.total,driver_version', '--format=csv,noheader,nounits']);
  if (listed === undefined) return plain;
  const accelerators = listed.split('\n').flatMap((line) => {
    const fields = line.split(',').map((field) => field.trim());
    const [name = '', memory = '', driver = ''] = fields;
    if (fields.length !== 3) return [];
    return [{ name, ...(/^\d+$/.test(memory) && { memory_mb: Number(memory) }), ...(driver !== '' && { driver }) }];
  });
  if (accelerators.length === 0) return plain;
  const cuda = /CUDA Version:\s*([\d.]+)/.exec((await ask([])) ?? '')?.[1];
  return { ...plain, accelerators, ...(cuda !== undefined && { cuda }) };
}

const ask = (args: readonly string[]): Promise<string | undefined> =>
  promisify(execFile)('nvidia-smi', [...args], { timeout: limitMilliseconds }).then(
    ({ stdout }) => stdout,
    () => undefined,
  );

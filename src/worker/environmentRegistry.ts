// Prebuilt environments that an operator keeps beside the workers, as archives by key, interpreter and platform. The
// operator's archive is trusted; one that does not unpack into an environment fails the cell that asked for it.
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { openUrl, shownUrl } from '../fetch/index.ts';
import { withPipes } from '../pipes/index.ts';

export interface Wanted {
  readonly registry: string;
  readonly key: string;
  /** `cpython-3.13.1 linux-x86_64` */
  readonly build: string;
  /** Where the environment shall lie; its parent is there. */
  readonly place: string;
  /** Throws when what was unpacked is not what was wanted. */
  readonly check: (folder: string) => Promise<void>;
  readonly signal: AbortSignal;
}

const downloadMilliseconds = 900_000;

/** False when the registry has none: then it is built here. */
export async function fetchEnvironment({ registry, key, build, place, check, signal }: Wanted): Promise<boolean> {
  const url = `${registry.replace(/\/+$/, '')}/${key}/${build.split(' ').map(encodeURIComponent).join('/')}`;
  const answer = await openUrl(url, {
    policy: { publicOnly: false, allowedHosts: [] },
    signal: AbortSignal.any([signal, AbortSignal.timeout(downloadMilliseconds)]),
  });
  if (answer.status === 404) {
    answer.body.destroy();
    return false;
  }
  if (answer.status !== 200) {
    answer.body.destroy();
    throw new Error(`the registry answered ${answer.status} at ${shownUrl(url)}`);
  }
  const scratch = `${place}.download`;
  await fs.rm(scratch, { recursive: true, force: true });
  await fs.mkdir(scratch);
  try {
    await unpack(answer.body, scratch);
    await check(scratch);
    await fs.rm(place, { recursive: true, force: true });
    await fs.rename(scratch, place);
    return true;
  } catch (error) {
    throw new Error('the archive of the registry does not unpack into an environment', { cause: error });
  } finally {
    await fs.rm(scratch, { recursive: true, force: true });
  }
}

async function unpack(archive: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  const tar = withPipes(
    spawn('tar', ['-xz', '--no-same-owner', '-C', folder], { stdio: ['pipe', 'ignore', 'ignore'] }),
  );
  const ended = new Promise<void>((resolve, reject) => {
    tar.on('error', reject);
    tar.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`tar ended with ${code}`))));
  });
  await Promise.all([ended, pipeline(archive, tar.stdin)]);
}

// The addresses of a pulled cell while it runs. Each is good for a while only: before that is over, the manifest is fetched
// again where the server says so, and its addresses take the place of those before, which are worth nothing from then on.
import { setTimeout as pause } from 'node:timers/promises';
import { type NetworkPolicy, openUrl } from '../fetch/index.ts';
import { readSmall } from '../http/multipart.ts';
import type { Log } from '../observability/index.ts';
import { type Addresses, readAddresses } from './pullRequest.ts';
import { invalid } from './refused.ts';

export interface KeptAddresses {
  current(): Addresses;
  /** Renews no more. */
  stop(): void;
  /** Those that the result goes to. */
  settle(): Promise<Addresses>;
}

const maxManifestBytes = 16 * 1024 * 1024;
const renewMilliseconds = 10_000;
const leastMilliseconds = 250;
const mostMilliseconds = 3_600_000;
/** A result on its way must not lose its addresses. */
const deliverySeconds = 60;

export function keepAddresses(first: Addresses, policy: NetworkPolicy, log: Log): KeptAddresses {
  const stopped = new AbortController();
  let current = first;
  let since = performance.now();
  /** False once the server would not give others. */
  let isRenewable = first.manifestUrl !== null && first.lifetime !== null;
  /** The server may have retired what is current: its answer did not arrive. */
  let isUnsure = false;

  const secondsLeft = (): number => (current.lifetime ?? 0) - (performance.now() - since) / 1000;

  async function renew(): Promise<void> {
    isUnsure = true;
    const signal = AbortSignal.timeout(renewMilliseconds);
    const { status, body } = await openUrl(current.manifestUrl ?? '', { policy, signal });
    if (status !== 200) body.destroy();
    if (status >= 400 && status < 500) isRenewable = isUnsure = false;
    if (status !== 200) throw new Error(`the server answered ${status}`);
    const text = await readSmall(body, maxManifestBytes, (limit) => new Error(`it has more than ${limit} bytes`));
    const { logUrl, outputFileUrl, ...next } = await readAddresses(jsonOf(text), policy);
    const told = { logUrl: logUrl ?? current.logUrl, outputFileUrl: outputFileUrl ?? current.outputFileUrl };
    current = { ...next, ...told };
    since = performance.now();
    isUnsure = false;
    isRenewable = next.manifestUrl !== null && next.lifetime !== null;
  }

  const tryRenewing = (): Promise<void> =>
    renew().catch((error: unknown) => log.warning('The manifest of a running cell was not renewed', { error }));

  async function keep(): Promise<void> {
    while (isRenewable && secondsLeft() > 0) {
      const half = (secondsLeft() / 2) * 1000;
      const signal = stopped.signal;
      await pause(Math.min(Math.max(half, leastMilliseconds), mostMilliseconds), undefined, { signal });
      await tryRenewing();
    }
  }
  const keeping = keep().catch(() => {});

  return {
    current: () => current,
    stop: () => stopped.abort(),
    async settle() {
      stopped.abort();
      await keeping;
      if (isRenewable && (isUnsure || secondsLeft() < deliverySeconds)) await tryRenewing();
      return current;
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The manifest is not JSON.');
  }
}

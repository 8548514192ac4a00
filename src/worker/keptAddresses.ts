// The addresses of a pulled cell while it runs. Each is good for a while only: before that is over, the manifest is fetched
// again where the server says so, and its addresses take the place of those before, which are worth nothing from then on.
// The same address tells whether a cell whose caller hung up is still wanted.
import { setTimeout as pause } from 'node:timers/promises';
import { type NetworkPolicy, openUrl } from '../fetch/index.ts';
import type { Log } from '../observability/index.ts';
import { readSmall } from '../pipes/index.ts';
import { type Addresses, readAddresses } from './pullRequest.ts';
import { invalid } from './refused.ts';

export interface KeptAddresses {
  current(): Addresses;
  /** The caller hung up, and the server will take no result or has not answered for long. */
  readonly unwanted: AbortSignal;
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

/** How often a server is asked whether it still wants a cell: soon at first, for it may have ended for good. */
const firstAskMilliseconds = 1_000;
const mostAskMilliseconds = 15_000;

export interface KeepOptions {
  readonly policy: NetworkPolicy;
  readonly log: Log;
  /** Aborted when whoever sent the cell has hung up. */
  readonly caller: AbortSignal;
  /** How long a server may be away (a broken network, a restart of its proxy) and still want the cell. */
  readonly patienceMilliseconds?: number;
}

export function keepAddresses(
  first: Addresses,
  { policy, log, caller, patienceMilliseconds = 60_000 }: KeepOptions,
): KeptAddresses {
  const stopped = new AbortController();
  const unwanted = new AbortController();
  let current = first;
  let since = performance.now();
  /** The server will give no others. */
  let isRefused = false;
  /** The server may have retired what is current: its answer did not arrive. */
  let isUnsure = false;

  const isRenewable = (): boolean => !isRefused && current.manifestUrl !== null;
  const secondsLeft = (): number => (current.lifetime ?? Number.POSITIVE_INFINITY) - (performance.now() - since) / 1000;

  async function renew(): Promise<void> {
    isUnsure = true;
    const signal = AbortSignal.timeout(renewMilliseconds);
    const { status, body } = await openUrl(current.manifestUrl ?? '', { policy, signal });
    if (status !== 200) body.destroy();
    if (isFinal(status)) {
      isRefused = true;
      isUnsure = false;
    }
    if (status !== 200) throw new Error(`the server answered ${status}`);
    const text = await readSmall(body, maxManifestBytes, (limit) => new Error(`it has more than ${limit} bytes`));
    const { logUrl, outputFileUrl, ...next } = await readAddresses(jsonOf(text), policy);
    const told = { logUrl: logUrl ?? current.logUrl, outputFileUrl: outputFileUrl ?? current.outputFileUrl };
    current = { ...next, ...told };
    since = performance.now();
    isUnsure = false;
  }

  let renewing: Promise<boolean> = Promise.resolve(true);
  /** One at a time, for each retires what the one before gave. False when it did not succeed. */
  function tryRenewing(): Promise<boolean> {
    renewing = renewing.then(async () => {
      try {
        if (!isRenewable()) return false;
        await renew();
        return true;
      } catch (error) {
        log.warning('The manifest of a running cell was not renewed', { error });
        return false;
      }
    });
    return renewing;
  }

  async function keep(): Promise<void> {
    while (isRenewable() && secondsLeft() > 0) {
      const half = (secondsLeft() / 2) * 1000;
      const signal = stopped.signal;
      await pause(Math.min(Math.max(half, leastMilliseconds), mostMilliseconds), undefined, { signal });
      await tryRenewing();
    }
  }
  const keeping = keep().catch(() => {});

  async function askIfWanted(): Promise<void> {
    let answeredAt = performance.now();
    // A server that names no such address cannot be asked: its cells run to their end.
    for (
      let wait = firstAskMilliseconds;
      current.manifestUrl !== null;
      wait = Math.min(wait * 2, mostAskMilliseconds)
    ) {
      if (await tryRenewing()) answeredAt = performance.now();
      stopped.signal.throwIfAborted();
      if (isRefused || performance.now() - answeredAt > patienceMilliseconds) return unwanted.abort();
      await pause(Math.min(wait, patienceMilliseconds), undefined, { signal: stopped.signal });
    }
  }
  const hungUp = (): void => void askIfWanted().catch(() => {});
  if (caller.aborted) hungUp();
  else caller.addEventListener('abort', hungUp, { once: true, signal: stopped.signal });

  return {
    current: () => current,
    unwanted: unwanted.signal,
    stop: () => stopped.abort(),
    async settle() {
      stopped.abort();
      await keeping;
      await renewing;
      if (isRenewable() && (isUnsure || secondsLeft() < deliverySeconds)) await tryRenewing();
      return current;
    },
  };
}

/** Not those that ask for patience: too many requests, or one that came too slowly. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The manifest is not JSON.');
  }
}

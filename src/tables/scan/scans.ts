// Scans from request to result: planned, looked up under the key of what they read, and read only where nobody has a result
// yet or is making it. Knows nothing of HTTP.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { ArtifactAddress, ArtifactVersion } from '../../artifacts/index.ts';
import { refusals } from '../../errors/index.ts';
import type { TableAddress } from '../../tableAddress.ts';
import type { ScanPlan } from './plan.ts';
import { emptyProvenance, tableVersion } from './provenance.ts';
import { readScanParams, wholeTable } from './request.ts';
import type { ScanRun } from './run.ts';
import { beginRun, type ScanOrder, type ScansParts, scanFinished } from './scanRuns.ts';
import { createSentRuns } from './sentRuns.ts';
import { createStreams, type Stream } from './streams.ts';

export type { AdmitBuild, ScanAsker, ScanOrder, ScansParts } from './scanRuns.ts';

export type ScanQuestion = Pick<ScanOrder, 'address' | 'params' | 'tenant'>;

export type ScanAnswer =
  | { readonly kind: 'hit'; readonly version: ArtifactVersion }
  | { readonly kind: 'stream' | 'artifact'; readonly stream: Stream };

export interface Scans {
  order(order: ScanOrder): Promise<ScanAnswer>;
  /** A stream or a build that was ordered before. */
  find(id: string): Stream | undefined;
  /** How an input records the state of a table that a plan reads. */
  versionOf(plan: ScanPlan): string;
  /** What a table stands for as an input: the state that would be read now. */
  inputVersion(address: TableAddress, tenant: string): Promise<string>;
  /** The key that a scan of it would be found under; undefined for a table without snapshots. */
  provenance(question: ScanQuestion): Promise<string | undefined>;
  /** Scans that are reading now. */
  active(): number;
  /** Resolves when the results of all streams of the tenant that were read to their end are stored. */
  settled(tenant: string): Promise<void>;
  /** Ends what is reading; waits, for a while, for results that are being stored. */
  close(): Promise<void>;
}

/** A result that takes longer to store is given up when the server stops. */
const closeMs = 10_000;

/** The id of a new artifact serves as that of its scan; where it has several versions, the number tells them apart. */
const scanIdOf = ({ id, version }: ArtifactAddress): string => (version === 1 ? id : `${id}-v${version}`);

const actorOf = ({ storeTenant: tenant, principal }: ScanOrder) => ({ tenant, principal });
const isRun = (there: ArtifactVersion | ScanRun): there is ScanRun => 'watch' in there;

/** The version that a scan of this id makes, on whichever server it was ordered. */
export function scannedVersion(scanId: string): ArtifactAddress {
  const [, id = scanId, version = '1'] = /^(.+)-v([1-9]\d*)$/.exec(scanId) ?? [];
  return { id, version: Number(version) };
}

export function createScans(parts: ScansParts): Scans {
  const { settings, planner, qos, artifacts, metrics } = parts;
  /** Runs that a later request for the same rows may join. */
  const runs = new Map<string, Promise<ScanRun>>();
  const live = new Set<ScanRun>();
  const sent = createSentRuns();
  const streams = createStreams(settings.streamStateTtlSeconds, ({ run }, isLast) => {
    if (isLast) void run.expire();
  });

  async function plan({ address, params, tenant }: ScanQuestion): Promise<ScanPlan> {
    const began = performance.now();
    const planned = await planner.plan(address, readScanParams(params), tenant);
    parts.onPlanned(performance.now() - began);
    return planned;
  }

  function checkSize({ tasks, estimatedBytes }: ScanPlan): void {
    if (tasks.length > settings.maxTasksPerScan)
      throw refusals.tooManyRowGroups(tasks.length, settings.maxTasksPerScan);
    if (estimatedBytes > settings.maxResponseBytes) throw refusals.responseTooLarge(estimatedBytes);
  }

  async function known(order: ScanOrder, provenance: string): Promise<ArtifactVersion | undefined> {
    if (!artifacts || order.refresh) return undefined;
    const version = await artifacts.versions.nameReady(actorOf(order), provenance, order.name);
    if (version) await artifacts.versions.used(version);
    return version;
  }

  /** The stored result; else a run that makes these rows already, which gives them the name too that is wanted; else a new run. */
  async function found(order: ScanOrder, planned: ScanPlan, provenance: string): Promise<ArtifactVersion | ScanRun> {
    const key = `${order.storeTenant}\0${provenance}`;
    for (;;) {
      const version = await known(order, provenance);
      if (version) return version;
      const begun = order.refresh ? undefined : runs.get(key);
      if (!begun) return beginRunFor(order, planned, provenance, key);
      const run = await begun;
      if (order.name === null || run.nameToo(order.name, actorOf(order))) return run;
      await run.ended; // It is being stored just now.
    }
  }

  function beginRunFor(order: ScanOrder, planned: ScanPlan, provenance: string, key: string): Promise<ScanRun> {
    const begun = beginRun(parts, order, planned, provenance, {
      onSent: (run) => sent.add(order.storeTenant, run),
      onEnd(run) {
        if (runs.get(key) === begun) runs.delete(key);
        live.delete(run);
        sent.remove(order.storeTenant, run);
      },
    }).then((run) => {
      live.add(run);
      return run;
    });
    begun.catch(() => runs.delete(key));
    runs.set(key, begun);
    return begun;
  }

  function streamOver(run: ScanRun, { principal, storeTenant: tenant, mode }: ScanOrder): Stream {
    const own = streams.over(run, { principal, mode });
    if (own) return own;
    const natural = run.version && scanIdOf(run.version);
    const id = natural === undefined || streams.find(natural) ? randomUUID() : natural;
    const stream = { id, run, mode, principal, tenant };
    streams.add(stream);
    return stream;
  }

  return {
    async order(order) {
      const began = performance.now();
      await sent.settled(order.storeTenant);
      const planned = await plan(order);
      checkSize(planned);
      const provenance = planned.provenance ?? emptyProvenance();
      const asHit = (version: ArtifactVersion): ScanAnswer => {
        // Nothing was read, so nothing was skipped.
        scanFinished(
          metrics,
          order,
          { ...planned, prunedRowGroups: 0 },
          { rows: version.rowCount ?? 0, milliseconds: performance.now() - began },
        );
        return { kind: 'hit', version };
      };
      if (order.mode === 'stream') {
        const there = await found(order, planned, provenance);
        return isRun(there) ? { kind: 'stream', stream: streamOver(there, order) } : asHit(there);
      }
      const version = await known(order, provenance);
      if (version) return asHit(version);
      if (!artifacts) throw refusals.artifactModeNeedsStore();
      const leave = await parts.admitBuild({
        pool: order.tenant,
        estimatedBytes: planned.estimatedBytes,
        inputs: planned.tasks.length,
      });
      try {
        const there = await found(order, planned, provenance);
        if (!isRun(there)) {
          leave();
          return asHit(there);
        }
        const tier = qos.tierOf({ ...planned, columns: planned.request.columns });
        void there.build(() => qos.queue({ tenant: order.tenant, tier })).finally(leave);
        return { kind: 'artifact', stream: streamOver(there, order) };
      } catch (error) {
        leave();
        throw error;
      }
    },
    find: streams.find,
    versionOf: tableVersion,
    async inputVersion(address, tenant) {
      return tableVersion(await planner.plan(address, wholeTable, tenant));
    },
    async provenance(question) {
      return (await plan(question)).provenance;
    },
    active: streams.active,
    settled: sent.settled,
    async close() {
      streams.close();
      const ended = Promise.all([...live].map((run) => run.stop(refusals.draining())));
      const patience = new AbortController();
      await Promise.race([ended, setTimeout(closeMs, undefined, { signal: patience.signal })]);
      patience.abort();
    },
  };
}

// Requests of several tenants begin in turn. Each may have a few under way that have just begun; its next ones wait until those are
// answered or have gone on for some milliseconds, so that what takes long holds up nobody. What one tenant sends at once is thereby
// begun little by little, and another's request finds few before it: in the event loop, in its threads and in the processes behind it.
// A tenant that is alone waits for nobody.
// Where the event loop has little time left, a tenant that asks for much begins at longer intervals, and the others find it free.
import { createBusyShare } from './busyShare.ts';
import { createFairLine } from './fairLine.ts';
import { createRates } from './rates.ts';

export interface Turns {
  /** Begins the request when it is its tenant's turn; what it gives back says that it was answered, or is no longer wanted. */
  begin(tenant: string, request: () => void): () => void;
}

export interface Surroundings {
  /** Milliseconds. */
  now(): number;
  /** The share of the last moments in which the event loop was not idle. */
  busyShare(): number;
}

/** Of all tenants together: much that has just begun makes everybody wait, whosever it is. */
const places = 16;
const ofOne = 2;
const heldMilliseconds = 5;
/** For so long after the last request of another one a tenant is not alone. */
const companyMilliseconds = 1000;
/** Requests in a second that are no more than opening a page or two. */
const muchPerSecond = 50;
const busyFrom = 0.5;
const longestMilliseconds = 100;

export function createTurns({ now, busyShare }: Surroundings = ofThisProcess()): Turns {
  const line = createFairLine(places, ofOne);
  const rates = createRates();
  let last: string | undefined;
  let changedAt = Number.NEGATIVE_INFINITY;

  /** How far apart a place of this tenant is taken again, answered or not. */
  function intervalOf(tenant: string, at: number): number {
    const busy = busyShare();
    if (busy < busyFrom || rates.perSecond(tenant, at) <= muchPerSecond) return 0;
    return Math.min(longestMilliseconds, heldMilliseconds / (1 - busy));
  }

  return {
    begin(tenant, request) {
      const asked = now();
      if (tenant !== last) {
        if (last !== undefined) changedAt = asked;
        last = tenant;
      }
      if (asked - changedAt > companyMilliseconds) {
        request();
        return () => {};
      }
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      let giveBackAt: number | undefined;
      const end = line.begin(tenant, () => {
        const begun = now();
        rates.count(tenant, begun);
        const interval = intervalOf(tenant, begun);
        giveBackAt = begun + interval;
        // Answered at once it needs none.
        queueMicrotask(() => {
          if (!isOver) timer = setTimeout(end, Math.max(heldMilliseconds, interval)).unref();
        });
        request();
      });
      return () => {
        if (isOver) return;
        isOver = true;
        const left = giveBackAt === undefined ? 0 : giveBackAt - now();
        if (left > 0) timer ??= setTimeout(end, left).unref();
        else {
          clearTimeout(timer);
          end();
        }
      };
    },
  };
}

const ofThisProcess = (): Surroundings => ({ now: () => performance.now(), busyShare: createBusyShare() });

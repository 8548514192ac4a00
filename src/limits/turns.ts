// Requests of several tenants begin in turn. Each may have a few under way that have just begun; its next ones wait until those are
// answered or have gone on for some milliseconds, so that what takes long holds up nobody. What one tenant sends at once is thereby
// begun little by little, and another's request finds few before it: in the event loop, in its threads and in the processes behind it.
// A tenant that is alone waits for nobody.
import { createFairLine } from './fairLine.ts';

export interface Turns {
  /** Begins the request when it is its tenant's turn; what it gives back says that it was answered, or is no longer wanted. */
  begin(tenant: string, request: () => void): () => void;
}

/** Of all tenants together: much that has just begun makes everybody wait, whosever it is. */
const places = 16;
const ofOne = 2;
const heldMilliseconds = 5;
/** For so long after the last request of another one a tenant is not alone. */
const companyMilliseconds = 1000;

export function createTurns(now: () => number = () => performance.now()): Turns {
  const line = createFairLine(places, ofOne);
  let last: string | undefined;
  let changedAt = Number.NEGATIVE_INFINITY;
  return {
    begin(tenant, request) {
      const at = now();
      if (tenant !== last) {
        if (last !== undefined) changedAt = at;
        last = tenant;
      }
      if (at - changedAt > companyMilliseconds) {
        request();
        return () => {};
      }
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      const end = line.begin(tenant, () => {
        // Answered at once it needs none.
        queueMicrotask(() => {
          if (!isOver) timer = setTimeout(end, heldMilliseconds).unref();
        });
        request();
      });
      return () => {
        isOver = true;
        clearTimeout(timer);
        end();
      };
    },
  };
}

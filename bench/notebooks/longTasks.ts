// How long a page was not there for the person in front of it: the longest stretch in which its main thread did one thing. The
// browser tells only of those over 50 ms; a page without any gives 0. What is done to the page is done by a script in it: each
// question that a test driver asks a page is a task of its own, and would be measured along.
import type { Page } from 'playwright-core';

/** Pictures are told of a little later. */
const settledMilliseconds = 300;
/** The driver's own task is over by then. */
const beginMilliseconds = 100;

/** `act`: the body of an asynchronous function, which finds `after(milliseconds)` and `picture()` to wait by. */
export async function longestTask(page: Page, act: string): Promise<number> {
  return Number(
    await page.evaluate(`(async () => {
      const after = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
      const picture = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      await after(${beginMilliseconds});
      const began = performance.now();
      let longest = 0;
      const look = (list) => {
        for (const { startTime, duration } of list.getEntries())
          if (startTime >= began) longest = Math.max(longest, duration);
      };
      const watch = new PerformanceObserver(look);
      watch.observe({ type: 'longtask' });
      await (async () => { ${act} })();
      await after(${settledMilliseconds});
      watch.disconnect();
      return longest;
    })()`),
  );
}

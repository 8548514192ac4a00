// The web app in the machine's own Chromium, the smaller one without a window where it is there. Its cache is cold: every page has
// a profile of its own.
import fs from 'node:fs';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { NotMeasured } from '../notMeasured.ts';

const quiet = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];

export async function withPage<T>(work: (page: Page) => Promise<T>): Promise<T> {
  const program = ['chromium-headless-shell', 'chromium'].flatMap(found)[0];
  if (program === undefined) throw new NotMeasured('there is no Chromium');
  const browser = await chromium.launch({ executablePath: program, args: quiet });
  try {
    return await work(await browser.newPage({ viewport: { width: 1280, height: 860 } }));
  } finally {
    await browser.close();
  }
}

const found = (name: string): string[] =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .filter((file) => fs.existsSync(file));

const work = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];

/** Seconds that the page has spent so far on scripts, styles and layout. */
export async function workedSeconds(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.filter(({ name }) => work.includes(name)).reduce((sum, { value }) => sum + value, 0);
  };
}

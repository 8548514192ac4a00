// The machine's own Chromium, driven for real. Where it is installed, the one that draws pages and no windows: on two cores it took 0.26 s
// of processor time to start (1.7 with the desktop's bars and menus) and 0.15 s for each further context (1.3).
import { after, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findProgram, needProgram } from './parts.ts';

export interface TestBrowser extends AsyncDisposable {
  /** False after the test was skipped because there is no browser. */
  readonly ready: boolean;
  newPage(options?: BrowserContextOptions): Promise<Page>;
}

/** On a machine that others use too; nobody waits this long on a quiet one. */
const patienceMilliseconds = 120_000;

/** Without these Chromium calls home at every start. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** One for all tests of a file; each has contexts of its own, which share nothing. */
let running: Promise<Browser> | undefined;
after(async () => (await running)?.close());

async function chromiumOf(program: string): Promise<Browser> {
  const before = await running;
  if (before?.isConnected()) return before;
  running = chromium.launch({ executablePath: program, args: quiet });
  return running;
}

/** The program, or undefined after the test was marked as skipped. */
export const needBrowser = (t: Pick<TestContext, 'skip'>): string | undefined =>
  findProgram('chromium-headless-shell') ??
  needProgram(t, 'chromium', 'Install Chromium (Debian: apt install chromium-headless-shell, or chromium).');

export async function openBrowser(t: TestContext): Promise<TestBrowser> {
  const program = needBrowser(t);
  const browser = program === undefined ? undefined : await chromiumOf(program);
  const contexts: BrowserContext[] = [];
  return {
    ready: browser !== undefined,
    async newPage(options = {}) {
      if (!browser) throw new Error('There is no browser.');
      const context = await browser.newContext(options);
      contexts.push(context);
      context.setDefaultTimeout(patienceMilliseconds);
      const page = await context.newPage();
      // The test may be closing it at the same time.
      page.on('close', () => void context.close().catch(() => {}));
      return page;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}

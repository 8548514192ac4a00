// The machine's own Chromium, driven for real.
import { after, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { needProgram } from './parts.ts';

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

export async function openBrowser(t: TestContext): Promise<TestBrowser> {
  const program = needProgram(t, 'chromium', 'Install Chromium (Debian: apt install chromium).');
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

// Looking at the web app as people do: pages that may not complain, pictures of them, and rules of accessibility.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';

export interface Watched {
  /** Errors on the console and requests to other hosts. */
  readonly problems: readonly string[];
  /** Those of a server that was taken away on purpose. */
  forget(): void;
}

export function watchPage(page: Page, address: () => string): Watched {
  const problems: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address()) && !/^(data|blob):/.test(url)) problems.push(`asked for ${url}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  return {
    problems,
    forget: () => void problems.splice(0),
  };
}

/** Into the folder of SVC_TEST_SCREENSHOTS, if there is one. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SVC_TEST_SCREENSHOTS;
  if (!folder) return;
  fs.mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Lets nothing begin to fade, and waits for what did: half-way through, every colour is a wrong one. */
async function stillness(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // Not waitForFunction: it evaluates a text in the page, which the policy of the page does not allow.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().iterations !== Infinity)
      .map(({ finished }) => finished)
  ).then(() => undefined)`);
}

/** No violation of WCAG 2.2 A and AA that axe calls serious or critical, nor a name that differs from what is seen. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(axe);
  await stillness(page);
  const found: Violation[] = await page.evaluate(
    `axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      rules: { 'label-content-name-mismatch': { enabled: true } },
    }).then(({ violations }) => violations)`,
  );
  const serious = found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`) }));
  assert.deepEqual({ what, serious }, { what, serious: [] });
}

export async function assertFits(page: Page, what: string): Promise<void> {
  const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
  assert.deepEqual({ what, overflows: overflow > 1 }, { what, overflows: false });
}

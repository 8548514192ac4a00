// What a newcomer waits for: from `npm start` in a checkout that is set up to the first plot, in a new notebook whose environment
// has neither pandas nor matplotlib yet. Nobody thinks or types slowly meanwhile; uv's cache is the machine's own, and warm.
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../scripts/setup/places.js';
import type { Line } from '../line.ts';
import { withPage } from '../notebooks/page.ts';
import type { Program } from '../programs/program.ts';
import { startProgram } from '../programs/program.ts';

const started: Program = {
  command: 'npm',
  args: () => ['--prefix', root, 'start'],
  env: (port) => ({
    SVC_PORT: String(port),
    UV_CACHE_DIR: process.env.UV_CACHE_DIR ?? path.join(os.homedir(), '.cache/uv'),
  }),
  path: '/health',
};

const plot = ['import pandas as pd', 'import matplotlib.pyplot as plt', 'plt.plot(pd.Series([1, 4, 9]).cumsum())'];

async function untilPlot(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: 'New notebook' }).click();
  await page.getByLabel('Name').fill('First');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('connected', { exact: true }).waitFor();
  await page.locator('.cell').first().focus();
  await page.keyboard.press('Enter');
  await page.locator('.cm-content').waitFor();
  await page.keyboard.insertText(plot.join('\n'));
  await page.keyboard.press('Control+Enter');
  const picture = page.locator('.cell img').first();
  const install = page.getByRole('button', { name: /^Install / }).first();
  for (;;) {
    await picture.or(install).first().waitFor({ timeout: 120_000 });
    if (await picture.isVisible()) return;
    await install.click();
    await install.waitFor({ state: 'detached', timeout: 120_000 });
  }
}

export const firstPlot: Line = {
  name: 'npm start → first plot of a newcomer, packages included',
  unit: 'ms',
  budget: { atMost: 25_000 },
  warmUp: true,
  rounds: 3,
  onlyFull: true,
  async ours(context) {
    const began = performance.now();
    const server = await startProgram(context, started);
    await withPage((page) => untilPlot(page, `http://127.0.0.1:${server.port}/`));
    const taken = performance.now() - began;
    await server.stop();
    return taken;
  },
};

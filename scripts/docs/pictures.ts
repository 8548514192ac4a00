// The pictures of the tutorial: its own notebook, made from its own page, run on a real server and looked at by a browser.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { startServer } from '../../src/server/index.ts';
import { loadSettings } from '../../src/settings/index.ts';
import { root } from '../setup/places.js';

const browsers = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** How many there are; none where no browser is installed. */
export async function takePictures(folder: string): Promise<number> {
  const executablePath = browsers.find((file) => fs.existsSync(file));
  if (executablePath === undefined) return 0;
  fs.mkdirSync(folder, { recursive: true });
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-docs-'));
  const env = {
    ...process.env,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'error',
    SVC_ARTIFACT_DIR: `${home}/artifacts`,
    SVC_NOTEBOOK_STORAGE_DIR: home,
  };
  const server = await startServer(loadSettings({ env, cwd: home }).settings);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const sessionId = await makeTutorial(server.address);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${server.address}/#/notebook/${sessionId}`);
    await page.getByRole('listitem', { name: /^report, python, ready/ }).waitFor();
    await page.getByRole('listitem', { name: /^report, python, ready/ }).scrollIntoViewIfNeeded();
    await page.screenshot({ path: path.join(folder, 'tutorial.png') });
    return 1;
  } finally {
    await browser.close();
    await server.stop();
    fs.rmSync(home, { recursive: true, force: true });
  }
}

async function makeTutorial(address: string): Promise<string> {
  const ask = async (method: string, place: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${address}/v1/notebooks${place}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${place}: ${await answer.text()}`);
    return JSON.parse(await answer.text());
  };
  const page = fs.readFileSync(path.join(root, 'docs/tutorial.md'), 'utf8');
  const { session_id } = await ask('POST', '/create', { parent_path: '.', name: 'Orders' });
  while (Object((await ask('GET', `/${session_id}/environment`)).environment).sync_state !== 'ready')
    await new Promise((resolve) => setTimeout(resolve, 100));
  for (const [, language = '', source = ''] of page.matchAll(/^```(\w+) cell\n(.*?)\n```$/gms)) {
    const { id } = await ask('POST', `/${session_id}/cells`, { language });
    await ask('PUT', `/${session_id}/cells/${id}`, { source });
    await ask('POST', `/${session_id}/cells/${id}/execute`);
  }
  return String(session_id);
}

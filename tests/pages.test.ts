// What people see, in a real browser: every page renders and asks nobody but this server for anything.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { startServer } from './kit/server.ts';

const pages: [path: string, shows: string][] = [
  ['/', 'First steps'],
  ['/docs', '/health/ready'],
  ['/redoc', '/health/ready'],
];

describe('pages', () => {
  it('render in light, dark and narrow without errors or outside requests', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer({ env: { SVC_PUBLIC_BASE_PATH: '/lab' } });
    const notebook = path.join(server.home, '.svc/notebooks/first');
    fs.mkdirSync(notebook, { recursive: true });
    fs.writeFileSync(
      path.join(notebook, 'notebook.toml'),
      'notebook_id = "n1"\nname = "First steps"\nupdated_at = 2026-11-15T10:00:00Z\n',
    );
    for (const look of [
      { colorScheme: 'light' },
      { colorScheme: 'dark' },
      { colorScheme: 'light', viewport: { width: 360, height: 740 } },
    ] as const) {
      for (const [place, shows] of pages) {
        const page = await browser.newPage(look);
        const outside: string[] = [];
        const problems: string[] = [];
        page.on('request', (request) => {
          if (!request.url().startsWith(server.address) && !/^(data|blob):/.test(request.url()))
            outside.push(request.url());
        });
        page.on('console', (message) => {
          if (message.type() === 'error') problems.push(message.text());
        });
        page.on('pageerror', (error) => problems.push(error.message));
        await page.goto(`${server.address}${place}`);
        await page.getByText(shows).first().waitFor();
        const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
        assert.deepEqual(
          { place, outside, problems, overflows: overflow > 1 && place !== '/docs' },
          { place, outside: [], problems: [], overflows: false },
        );
        const folder = process.env.SVC_TEST_SCREENSHOTS;
        if (folder !== undefined) {
          const name = `${place.slice(1) || 'home'}-${look.colorScheme}${'viewport' in look ? '-narrow' : ''}.png`;
          await page.screenshot({ path: path.join(folder, name) });
        }
        await page.close();
      }
    }
  });
});

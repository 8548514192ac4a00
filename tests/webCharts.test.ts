// Charts and other outputs of libraries, drawn in a real browser.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { figureCell, reprCell } from './kit/charts.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer, type TestServer } from './kit/server.ts';

async function openPage(page: Page, server: TestServer, sources: readonly string[]): Promise<void> {
  const notebook = await createTestNotebook(server, 'Charts');
  for (const source of sources) await notebook.run(await notebook.add(source));
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
}

const chartIn = (page: Page, name: string): Locator =>
  page.getByRole('listitem', { name: new RegExp(`^${name},`) }).getByRole('region', { name: 'Chart of the cell' });

/** Whether something of it is out of sight. */
const overflow = (place: Locator): Promise<unknown> =>
  place.evaluate((at) => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight, offsetHeight } = Object(at);
    return { wide: scrollWidth > clientWidth, tall: scrollHeight > clientHeight, bar: offsetHeight > clientHeight };
  });

describe('charts', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    it(`a figure is as tall as Plotly means it, one of space is drawn in space: ${colorScheme}`, async (t) => {
      await using browser = await openBrowser(t);
      if (!browser.ready) return;
      await using server = await startServer();
      const page = await browser.newPage({ viewport: { width: 1280, height: 1400 }, colorScheme });
      const { problems } = watchPage(page, () => server.address);
      const asked: string[] = [];
      page.on('request', (request) => {
        const [script] = /chart-\w+/.exec(request.url()) ?? [];
        if (script !== undefined) asked.push(script);
      });
      await openPage(page, server, [
        figureCell('flat', {
          data: [{ type: 'bar', x: ['north', 'south'], y: [2, 3] }],
          layout: { title: { text: 'Sales' } },
        }),
        figureCell('space', { data: [{ type: 'scatter3d', x: [1, 2, 3], y: [1, 3, 2], z: [3, 1, 2] }] }),
      ]);
      await chartIn(page, 'flat').locator('.barlayer .point').first().waitFor();
      await chartIn(page, 'space').locator('.gl-container canvas').first().waitFor();
      await picture(page, `charts-${colorScheme}`);
      const heights = await Promise.all(
        ['flat', 'space'].map((name) =>
          chartIn(page, name)
            .locator('.js-plotly-plot')
            .evaluate((at) => Number(Object(at).clientHeight)),
        ),
      );
      assert.deepEqual(heights, [450, 450]);
      for (const name of ['flat', 'space'])
        assert.deepEqual(await overflow(chartIn(page, name)), { wide: false, tall: false, bar: false }, name);
      assert.deepEqual(asked.toSorted(), ['chart-plotly', 'chart-plotlyWhole']);
      await assertAccessible(page, 'charts');
      assert.deepEqual(problems, []);
    });

  it('what cannot be drawn here says so by name', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    await openPage(page, server, [
      figureCell('countries', { data: [{ type: 'choropleth', locations: ['FRA'], z: [1] }] }),
      reprCell(
        'leaflet',
        'html',
        '<iframe srcdoc="&lt;script src=&quot;https://cdn.example.org/leaflet.js&quot;&gt;"></iframe>',
      ),
    ]);
    await page
      .getByText('This figure holds a map (choropleth), which would have to be fetched from elsewhere')
      .waitFor();
    await page.getByText('This output loads what draws it from cdn.example.org.').waitFor();
    await picture(page, 'charts-refused');
  });

  it('a figure and a page that are too large to come along are fetched and shown', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    await openPage(page, server, [
      figureCell('large', { data: [{ type: 'bar', y: [1] }], layout: { meta: 'HERE' } }).replace(
        'Figure()',
        "Figure.to_json = lambda self, old=Figure.to_json: old(self).replace('HERE', 'x' * 1_200_000)\nFigure()",
      ),
      reprCell('long', 'html', '<p>the end of it</p>').replace('"<p>', '"<!--" + "x" * 1_200_000 + "--><p>'),
    ]);
    await chartIn(page, 'large').locator('.barlayer .point').first().waitFor();
    await page.frameLocator('iframe[title="Output of the cell"]').getByText('the end of it').waitFor();
  });

  it('text with formulas in it is text with formulas', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const page = await browser.newPage();
    await openPage(page, server, [reprCell('mixed', 'latex', 'between $a$ and $b$')]);
    const shown = page.getByRole('listitem', { name: /^mixed,/ }).locator('.output');
    await shown.locator('math').first().waitFor();
    assert.equal(await shown.locator('math').count(), 2);
    assert.match(await shown.innerText(), /^between/);
  });
});

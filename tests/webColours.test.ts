// Text that was printed in colours, in a real browser: legible on light and dark paper.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

const printing = String.raw`# @name colours
names = "black red green yellow blue magenta cyan white".split()
for bright in (30, 90):
    print(*(f"\x1b[{bright + i}m{name}\x1b[0m" for i, name in enumerate(names)))
print("\x1b[1mbold\x1b[0m \x1b[3mitalic\x1b[0m \x1b[4munderlined\x1b[0m \x1b[7minverse\x1b[0m \x1b[41mon red\x1b[0m \x1b[31;7mred inverse\x1b[0m \x1b[38;5;208morange\x1b[0m")
print("\x1b[32m 50%\x1b[0m\r\x1b[32m100%\x1b[0m done")`;

/** How far the colour of each text stands out from its paper, as WCAG counts. */
const contrasts = `(spans) => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (colours) => {
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return spans.map((span) => {
    const papers = [];
    for (let one = span; one; one = one.parentElement) papers.unshift(getComputedStyle(one).backgroundColor);
    const [text, paper] = [light([...papers, getComputedStyle(span).color]), light(papers)];
    return (Math.max(text, paper) + 0.05) / (Math.min(text, paper) + 0.05);
  });
}`;

describe('printed colours', () => {
  it('are shown, and legible on any paper', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.add(printing);
    const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByRole('button', { name: 'Run', exact: true }).first().click();
    const printed = page.getByRole('region', { name: 'Printed' });
    await page.getByRole('listitem', { name: /^colours, python, ready/ }).waitFor();
    assert.equal(
      await printed.innerText(),
      `black red green yellow blue magenta cyan white
black red green yellow blue magenta cyan white
bold italic underlined inverse on red red inverse orange
100% done
`,
    );
    const paper = async (text: string): Promise<string> =>
      page.evaluate(
        `getComputedStyle([...document.querySelectorAll('.console span')].find((one) => one.textContent === '${text}')).backgroundColor`,
      );
    assert.equal(await paper('red inverse'), await paper('on red'), 'what is inverted keeps its colour');
    for (const theme of ['light', 'dark']) {
      await page.evaluate(`document.documentElement.setAttribute('data-theme', '${theme}')`);
      const found: number[] = await page.evaluate(`(${contrasts})([...document.querySelectorAll('.console span')])`);
      assert.ok(Math.min(...found) >= 4.5, `${theme}: ${found.map((one) => one.toFixed(1)).join(' ')}`);
      await picture(page, `printed-colours-${theme}`);
    }
    assert.deepEqual(problems, []);
  });
});

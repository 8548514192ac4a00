// The graph of a notebook with five hundred cells: whether the page stays there for the person while it comes, while they jump
// about in it, while they scroll through the notebook, which it follows, and while all cells run.
import type { Page } from 'playwright-core';
import type { Context, Line } from '../line.ts';
import { kept } from '../line.ts';
import { longestTask } from '../notebooks/longTasks.ts';
import { withPage } from '../notebooks/page.ts';
import { placeNotebook } from '../notebooks/place.ts';
import { startNotebookServer } from '../notebooks/server.ts';

const cells = 500;

/** Three chains that meet now and then, as people's notebooks do. */
const meeting = Array.from({ length: cells }, (_, index) => {
  if (index < 3) return `step_${index} = ${index}`;
  const joined = index % 50 === 0 ? ` + step_${index - 1}` : '';
  return `step_${index} = ${index} + step_${index - 3}${joined}`;
});

const notebookServer = kept(startNotebookServer);

async function placed(context: Context, name: string): Promise<string> {
  const server = await notebookServer(context);
  const { directory } = await placeNotebook(server, { name, sources: meeting });
  const { session_id } = await server.open(directory);
  return `http://127.0.0.1:${server.port}/#/notebook/${session_id}`;
}

const notebookPage = kept((context: Context) => placed(context, 'Wired'));

async function openGraph(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  await page.locator('.graph-node', { hasText: /^step_0$/ }).waitFor();
}

const whileIn = (
  name: string,
  prepare: (page: Page) => Promise<void>,
  act: string,
  addressIn = notebookPage,
): Line => ({
  name: `longest task, graph of ${cells} cells: ${name}`,
  unit: 'ms',
  budget: { atMost: 50 },
  warmUp: true,
  async ours(context) {
    const address = await addressIn(context);
    return withPage(async (page) => {
      await page.goto(address);
      await page.getByText('connected', { exact: true }).waitFor();
      await prepare(page);
      return longestTask(page, act);
    });
  },
});

export const graphOpened = whileIn(
  'it comes',
  async () => {},
  `document.querySelector('button[aria-label="Graph"]').click();
  while (!document.querySelector('.graph-node')) await after(50);
  await after(1000);`,
);

/** By its search: what is typed, and Enter. */
export const graphJumps = whileIn(
  'three jumps',
  openGraph,
  `const find = document.querySelector('[aria-label="Find in the graph"]');
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  for (const name of ['step_333', 'step_18', 'step_466']) {
    write.call(find, name);
    find.dispatchEvent(new Event('input', { bubbles: true }));
    await after(300);
    find.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    while (!document.querySelector('[role=listitem].selected')?.ariaLabel.startsWith(name + ',')) await after(20);
    await after(800);
  }`,
);

export const graphFollows = whileIn(
  'scrolling through the notebook',
  openGraph,
  `let list = document.querySelector('.cell');
  while (list && !/auto|scroll/.test(getComputedStyle(list).overflowY)) list = list.parentElement;
  for (let step = 1; step <= 40; step++) {
    (list ?? document.scrollingElement).scrollTop += 200;
    await picture();
  }
  if ((list ?? document.scrollingElement).scrollTop < 4000) throw new Error('It did not scroll.');`,
);

let notebooks = 0;

/** Each time in a notebook that nothing is known of. */
export const graphRuns: Line = {
  ...whileIn(
    'all cells run',
    openGraph,
    `const button = (text) => [...document.querySelectorAll('button')].find((one) => one.textContent.startsWith(text));
    button('Run ${cells} cells').click();
    while (!button('Up to date')) await after(100);`,
    (context) => placed(context, `Run ${++notebooks}`),
  ),
  rounds: 3,
};

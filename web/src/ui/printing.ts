// Paper shows everything, also what is not in sight: while a page is printed all of it is drawn, in light colours.
import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { showOnPaper } from './theme.ts';

const paper = window.matchMedia('print');
const watchers = new Set<() => void>();
/** Whether somebody asked for it: what takes time to draw is waited for then. */
let isAsked = false;

/** Whether the browser makes sheets of it now. */
let isOnPaper = false;

const isPrinting = (): boolean => isAsked || isOnPaper || paper.matches;

function tell(): void {
  showOnPaper(isPrinting());
  // Charts are drawn for the width that they have then.
  document.documentElement.classList.toggle('on-paper', isPrinting());
  for (const watcher of watchers) watcher();
}

/**
 * The browser's own menu may print too: it waits for nothing, and still every cell is on the page. It counts the sheets right after
 * the first of these; what is drawn later would be cut off.
 */
window.addEventListener('beforeprint', () => onPaper(true));
window.addEventListener('afterprint', () => onPaper(false));
paper.addEventListener('change', tell);

function onPaper(isNow: boolean): void {
  isOnPaper = isNow;
  flushSync(tell);
}

export const usePrinting = (): boolean =>
  useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, isPrinting);

const stillMilliseconds = 400;
const longestMilliseconds = 15_000;

export async function printPage(): Promise<void> {
  if (isAsked) return;
  isAsked = true;
  tell();
  try {
    await Promise.race([still(), after(longestMilliseconds)]);
    window.print();
  } finally {
    isAsked = false;
    tell();
  }
}

const after = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Until nothing on the page has changed for a while: charts, tables and frames come one after the other. */
function still(): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout>;
    const end = (): void => {
      if ([...document.images].some((image) => !image.complete)) wait();
      else {
        changes.disconnect();
        resolve();
      }
    };
    function wait(): void {
      clearTimeout(timer);
      timer = setTimeout(end, stillMilliseconds);
    }
    const changes = new MutationObserver(wait);
    changes.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    wait();
  });
}

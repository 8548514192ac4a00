// One press of the pointer. What is pressed must stay under the pointer until it is let go, or nothing is clicked: what moves
// the page (selecting a cell closes the editor of another, and all below it moves up) waits for the end of the press.

let waiting: (() => void) | undefined;
let watching: AbortController | undefined;

/** Before what is clicked does its work; at once when nothing is pressed. What is asked for last counts. */
export function whenLetGo(work: () => void): void {
  if (watching) waiting = work;
  else work();
}

/** Called with the event that begins it. */
export function beginPress({ button }: { readonly button: number }): void {
  end(); // of an earlier one may have gone unheard
  if (button !== 0) return; // a menu of the browser's takes what follows
  const press = new AbortController();
  watching = press;
  const early = { signal: press.signal, capture: true };
  window.addEventListener('click', end, early);
  window.addEventListener('pointercancel', end, early);
  // Keys are for what was pressed last.
  window.addEventListener('keydown', end, early);
  // Nothing is clicked where the press ended elsewhere.
  window.addEventListener('pointerup', () => setTimeout(() => press.signal.aborted || end()), early);
}

function end(): void {
  const work = waiting;
  waiting = undefined;
  watching?.abort();
  watching = undefined;
  work?.();
}

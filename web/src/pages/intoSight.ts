/** What opens may stand below hundreds of names; whoever closes it is where they were. */
export function intoSight(section: HTMLElement | null): () => void {
  const before = document.activeElement;
  section?.focus({ preventScroll: true });
  section?.scrollIntoView({ block: 'start' });
  return () => {
    if (before instanceof HTMLElement) before.focus();
  };
}

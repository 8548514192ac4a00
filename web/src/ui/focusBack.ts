// A part that goes away while it has the focus, such as a question that was answered, leaves it to what is around it: whoever
// uses keys stays where they were. Used as the `ref` of the part.

export function focusBack(part: HTMLElement | null): () => void {
  const around = part?.parentElement?.closest<HTMLElement>('[tabindex]');
  return () => {
    if (part?.contains(document.activeElement)) around?.focus({ preventScroll: true });
  };
}

// Tells screen readers what happened elsewhere on the page: runs that end, cells that move, connections that break.
const place = document.createElement('div');
place.setAttribute('role', 'status');
place.setAttribute('aria-live', 'polite');
place.className = 'unseen';

export function announce(text: string): void {
  if (!place.isConnected) document.body.append(place);
  // Said again even when it is the same sentence.
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}

// Text for the clipboard. Browsers hand that out to secure pages alone, and not to those within a page of others; a service may well be
// reached by plain HTTP, and apps are embedded: there the text is selected in a field and copied as a person would.
import { announce } from './announce.ts';

export async function copyText(text: string, said = 'Copied'): Promise<void> {
  if (window.isSecureContext) await navigator.clipboard.writeText(text).catch(() => copySelected(text));
  else copySelected(text);
  announce(said);
}

function copySelected(text: string): void {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.className = 'unseen';
  field.value = text;
  // What lies under an open dialog cannot be selected.
  (before?.closest('dialog') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('The browser did not let this be copied. Select the text and press Ctrl+C.');
}

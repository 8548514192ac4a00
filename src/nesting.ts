/**
 * Whether a JSON text has lists and objects within each other beyond a depth. Reading such a text takes a hundred times its size, and
 * whoever walks through it afterwards runs out of stack: it is refused before it is parsed.
 */
export function isNestedBeyond(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a quote: what stands in a text opens nothing
        at = endOfText(text, at + 1);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > most) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
    }
  }
  return false;
}

/** The quote that ends the text, or the end of all. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c && at - 1 - slashes >= from) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

// Memory of bytes that have passed through, returned at once. Left to the collector, pieces of a large body pile up by the
// ten thousand, and it stops everything else to look at the whole heap for them.

/** The bytes are gone afterwards. A view of memory that others see too is left alone. */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

// What is said of bytes that were called an Arrow stream and are none.
/** The bytes are no Arrow IPC stream; the message says why. */
export class ArrowInvalid extends Error {
  override readonly name = 'ArrowInvalid';
}

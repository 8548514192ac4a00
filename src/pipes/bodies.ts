// Cuts a stream into bodies that each follow their length: four bytes, little-endian. What a body holds is for others
// to say. A body above the limit is refused before it is held in memory.

const HEADER_BYTES = 4;

/** Thrown when a value does not fit a frame, or when the other side announces one that must not be read. */
export class FrameProblem extends Error {
  override name = 'FrameProblem';
}

/** Takes chunks as they come and hands over each whole body; throws FrameProblem on an oversized one. */
export function createBodyReader(maxBytes: number, onBody: (body: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = HEADER_BYTES;
  let inBody = false;

  function take(): Buffer {
    const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, held);
    const part = all.subarray(0, wanted);
    const rest = all.subarray(wanted);
    chunks = rest.length > 0 ? [rest] : [];
    held = rest.length;
    return part;
  }

  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= wanted) {
      const part = take();
      if (inBody) {
        wanted = HEADER_BYTES;
        inBody = false;
        onBody(part);
        continue;
      }
      wanted = part.readUInt32LE();
      inBody = true;
      if (wanted > maxBytes) {
        throw new FrameProblem(`a frame of ${wanted} bytes was announced and the limit is ${maxBytes}`);
      }
    }
  };
}

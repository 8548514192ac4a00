// The end of a pipeline that writes a file. A stream opens its file by itself, and later: whoever is refused at once and removes the
// file then finds it made again, empty. Here the pipeline ends after the file was opened, and closed.
import fs from 'node:fs/promises';

export const intoFile =
  (file: string, { flags = 'w', mode = 0o666 }: { readonly flags?: string; readonly mode?: number } = {}) =>
  async (pieces: AsyncIterable<Uint8Array>): Promise<void> => {
    const handle = await fs.open(file, flags, mode);
    try {
      await handle.writeFile(pieces);
    } finally {
      await handle.close();
    }
  };

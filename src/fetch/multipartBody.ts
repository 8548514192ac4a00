// A multipart form of files, sent as it is read: its length is known before, and nothing of it is held in memory.
import { createReadStream } from 'node:fs';

export interface FilePart {
  readonly name: string;
  readonly filename: string;
  readonly type: string;
  readonly place: string;
  readonly size: number;
}

export interface MultipartBody {
  readonly contentType: string;
  readonly length: number;
  pieces(): AsyncGenerator<Uint8Array>;
}

/** JSON text as the part `metadata`, then the files. */
export function multipartBody(metadata: string, files: readonly FilePart[]): MultipartBody {
  const boundary = `svc-${crypto.randomUUID()}`;
  const head = (name: string, filename: string, type: string): Buffer =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`,
    );
  const first = Buffer.concat([head('metadata', 'metadata.json', 'application/json'), Buffer.from(`${metadata}\r\n`)]);
  const parts = files.map((file) => ({ ...file, head: head(file.name, file.filename, file.type) }));
  const last = Buffer.from(`--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: first.length + last.length + parts.reduce((sum, part) => sum + part.head.length + part.size + 2, 0),
    async *pieces() {
      yield first;
      for (const part of parts) {
        yield part.head;
        if (part.size > 0) yield* createReadStream(part.place, { end: part.size - 1 });
        yield Buffer.from('\r\n');
      }
      yield last;
    },
  };
}

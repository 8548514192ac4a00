// A package index of our own: small packages made on the spot, and answers that can be held back until a test lets them go.
import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';

export interface PackageIndex extends AsyncDisposable {
  /** For the server under test: this index first, then the usual one. */
  readonly env: Readonly<Record<string, string>>;
  /** Requests about this package wait until the returned function is called. */
  hold(name: string): { readonly asked: Promise<void>; release(): void };
}

export interface PackageIndexOptions {
  readonly port?: number;
  readonly answersIn?: 'links' | 'json';
  readonly more?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * `packages`: name → version → what it requires. Each has a module of its name with `VERSION`. `port`: any by default.
 * `answersIn`: pages of links, as small indexes do, or JSON with sizes where it is asked for. `more`: files that a package has beside that.
 */
export async function startPackageIndex(
  packages: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
  { port: wanted = 0, answersIn = 'links', more = {} }: PackageIndexOptions = {},
): Promise<PackageIndex> {
  const held = new Map<string, { asked: () => void; released: Promise<void> }>();
  const wheels = new Map<string, Buffer>();
  for (const [name, versions] of Object.entries(packages)) {
    for (const [version, requires] of Object.entries(versions))
      wheels.set(`${name}-${version}-py3-none-any.whl`, wheel(name, version, requires, more[name] ?? {}));
  }
  const server = http.createServer(async (request, response) => {
    const [, , name = '', file = ''] = (request.url ?? '').split('/');
    const hold = held.get(name);
    hold?.asked();
    await hold?.released;
    const bytes = wheels.get(file);
    if (bytes) {
      response.setHeader('content-length', bytes.length).end(bytes);
      return;
    }
    if (!Object.hasOwn(packages, name)) {
      response.writeHead(404).end();
      return;
    }
    const listed = [...wheels].filter(([one]) => one.startsWith(`${name}-`));
    if (answersIn === 'json' && request.headers.accept?.includes('application/vnd.pypi.simple.v1+json')) {
      const files = listed.map(([filename, content]) => ({
        filename,
        url: `/simple/${name}/${filename}`,
        hashes: { sha256: sha256(content, 'hex') },
        size: content.length,
      }));
      response
        .setHeader('content-type', 'application/vnd.pypi.simple.v1+json')
        .end(JSON.stringify({ meta: { 'api-version': '1.1' }, name, files }));
      return;
    }
    const links = listed.map(
      ([one, content]) => `<a href="/simple/${name}/${one}#sha256=${sha256(content, 'hex')}">${one}</a>`,
    );
    response.setHeader('content-type', 'text/html').end(`<html><body>${links.join('\n')}</body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { UV_INDEX: `http://127.0.0.1:${port}/simple` },
    hold(name) {
      const asked = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      held.set(name, { asked: asked.resolve, released: released.promise });
      return {
        asked: asked.promise,
        release() {
          held.delete(name);
          released.resolve();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function wheel(
  name: string,
  version: string,
  requires: readonly string[],
  more: Readonly<Record<string, string>>,
): Buffer {
  const info = `${name}-${version}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    ...requires.map((one) => `Requires-Dist: ${one}`),
  ];
  const files: [string, string][] = [
    [`${name}.py`, `VERSION = '${version}'\n`],
    [`${info}/METADATA`, `${metadata.join('\n')}\n`],
    ...Object.entries(more),
    [`${info}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n'],
  ];
  const record = files.map(
    ([file, text]) => `${file},sha256=${sha256(Buffer.from(text), 'base64url')},${Buffer.byteLength(text)}\n`,
  );
  return zip([...files, [`${info}/RECORD`, `${record.join('')}${info}/RECORD,,\n`]]);
}

const sha256 = (bytes: Buffer, encoding: 'hex' | 'base64url'): string =>
  createHash('sha256').update(bytes).digest(encoding);

/** Stored, not compressed: the least that is a zip file. */
function zip(files: readonly [name: string, text: string][]): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, text] of files) {
    const [title, body] = [Buffer.from(name), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(zlib.crc32(body), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, title, body]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, place, title]));
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
}

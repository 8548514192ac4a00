// Planted secrets, and a hunt for them: each has a word of its own, so that one that is found says where it came from.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';

export interface Markers {
  /** A secret for one place; a fresh one unless it came about elsewhere. */
  plant(place: string, secret?: string): string;
  /** Looks for every secret in what was found somewhere. */
  look(where: string, found: string | Buffer): void;
  /** What was seen since the last time: `place of the secret: where`, each once. */
  take(): string[];
}

/** `written`: what users wrote into sources, and so see again wherever sources are shown. */
export function createMarkers(written: () => readonly string[] = () => []): Markers {
  const secrets = new Map<string, string>();
  const seen = new Map<string, string>();
  return {
    take() {
      const found = [...seen].map(([what, around]) => `${what}: …${around}`);
      seen.clear();
      return found;
    },
    plant(place, secret = `planted${randomBytes(12).toString('hex')}`) {
      secrets.set(place, secret);
      return secret;
    },
    look(where, found) {
      const whole = Buffer.isBuffer(found) ? found.toString('latin1') : found;
      const text = written().reduce((rest, line) => rest.replaceAll(line, ''), whole);
      for (const [place, secret] of secrets) {
        const at = text.indexOf(secret);
        if (at >= 0) seen.set(`${place}: ${where}`, text.slice(Math.max(0, at - 100), at));
      }
    },
  };
}

/** Every file below a folder. */
export function lookAtFiles(markers: Markers, folder: string, skip: (file: string) => boolean = () => false): void {
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder, name);
    const found = fs.lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile() && !skip(file)) markers.look(name, fs.readFileSync(file));
  }
}

/** The members of a zip, by its central directory. */
export function lookAtZip(markers: Markers, where: string, zip: Buffer): void {
  for (let at = zip.indexOf('PK\x01\x02'); at >= 0; at = zip.indexOf('PK\x01\x02', at + 4)) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const name = zip.toString('utf8', at + 46, at + 46 + zip.readUInt16LE(at + 28));
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(start, start + size);
    markers.look(`${where}/${name}`, method === 8 ? inflateRawSync(bytes) : bytes);
  }
}

/** What anybody on the machine sees of a process and of those it started, and what these inherited. */
export function lookAtProcesses(markers: Markers, pid: number): void {
  for (const [id, name] of familyOf(pid)) {
    markers.look(`command line of ${name}`, readProcess(id, 'cmdline'));
    if (id !== pid) markers.look(`environment of ${name}`, readProcess(id, 'environ'));
  }
}

function familyOf(pid: number): Map<number, string> {
  const parents = new Map<number, { parent: number; name: string }>();
  for (const entry of fs.readdirSync('/proc')) {
    const [, name = '', parent = '0'] = /\((.*)\) \S (\d+)/.exec(readProcess(Number(entry), 'stat')) ?? [];
    parents.set(Number(entry), { parent: Number(parent), name });
  }
  const family = new Map([[pid, 'the server']]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [id, { parent, name }] of parents) if (family.has(parent) && !family.has(id)) family.set(id, name);
  }
  return family;
}

function readProcess(id: number, file: string): string {
  try {
    return Number.isInteger(id) ? fs.readFileSync(`/proc/${id}/${file}`, 'utf8') : '';
  } catch {
    return '';
  }
}

/** Tells everybody all that it was told, and refuses whatever it is asked beside these paths. */
export async function startTelltale(
  answers: Readonly<Record<string, object>> = {},
): Promise<AsyncDisposable & { readonly address: string; readonly server: Server }> {
  const server = createServer(async (request, response) => {
    const known = answers[URL.parse(request.url ?? '', 'http://x')?.pathname ?? ''];
    if (known) return void response.setHeader('content-type', 'application/json').end(JSON.stringify(known));
    const told = JSON.stringify({ url: request.url, headers: request.headers, body: await readText(request) });
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: false, code: '390100', message: told, error: { message: told } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  if (place === null || typeof place !== 'object') throw new Error('The server has no port.');
  return {
    address: `http://127.0.0.1:${place.port}`,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

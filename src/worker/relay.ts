// What a pulled cell's run tells while it runs: console chunks in order, and files of output folders once they hold still.
// Neither ever holds up or fails a run; what could not be sent travels in the bundle.
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FolderFile, filesIn } from '../bundle/index.ts';
import { type NetworkPolicy, openUrl } from '../fetch/index.ts';
import type { ConsoleEvent } from '../runtimes/index.ts';
import type { Relay } from './executions.ts';
import type { Addresses } from './pullRequest.ts';

export interface RelayParts {
  /** Those that are good now. */
  readonly addresses: () => Pick<Addresses, 'logUrl' | 'outputFileUrl'>;
  readonly policy: NetworkPolicy;
  readonly pollSeconds: number;
}

export function createRelay({ addresses, policy, pollSeconds }: RelayParts): Relay {
  const console = addresses().logUrl === null ? undefined : createConsoleRelay(() => addresses().logUrl ?? '', policy);
  let files: FileRelay | undefined;
  let ended: Promise<Readonly<Record<string, readonly string[]>> | undefined> | undefined;
  return {
    onConsole: (event) => console?.push(event),
    watch(folders) {
      if (addresses().outputFileUrl === null || Object.keys(folders).length === 0) return;
      files = createFileRelay(() => addresses().outputFileUrl ?? '', policy, folders, pollSeconds);
    },
    end() {
      ended ??= Promise.all([files?.end(), console?.end()]).then(([streamed]) => streamed);
      return ended;
    },
  };
}

const withQuery = (url: string, query: Readonly<Record<string, string>>): string =>
  `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(query)}`;

const maxWaitingChunks = 64;
const chunkMilliseconds = 5000;
const drainMilliseconds = 10_000;

/** A chunk that does not fit in the queue is lost, and its number with it: the gap shows. */
function createConsoleRelay(url: () => string, policy: NetworkPolicy) {
  const numbers = { stdout: 0, stderr: 0 };
  const waiting: { query: Record<string, string>; text: string }[] = [];
  const stopped = new AbortController();
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    for (let next = waiting.shift(); next && !stopped.signal.aborted; next = waiting.shift()) {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(chunkMilliseconds)]);
      await openUrl(withQuery(url(), next.query), { method: 'POST', body: next.text, policy, signal }).then(
        ({ body }) => body.destroy(),
        () => {},
      );
    }
    sending = undefined;
  }

  return {
    push({ stream, text }: ConsoleEvent): void {
      if (text === '') return;
      const seq = numbers[stream]++;
      if (waiting.length >= maxWaitingChunks) return;
      waiting.push({ query: { stream, seq: String(seq) }, text });
      sending ??= send();
    },
    async end(): Promise<void> {
      const limit = setTimeout(() => stopped.abort(), drainMilliseconds);
      await sending;
      clearTimeout(limit);
    },
  };
}

interface FileRelay {
  end(): Promise<Record<string, string[]>>;
}

const sendMilliseconds = 300_000;

function createFileRelay(
  url: () => string,
  policy: NetworkPolicy,
  folders: Readonly<Record<string, string>>,
  pollSeconds: number,
): FileRelay {
  const stopped = new AbortController();
  const sent = new Map<string, string>();
  const refused = new Set<string>();
  let before = new Map<string, string>();
  const stateOf = ({ size, changed }: FolderFile): string => `${size}:${changed}`;

  async function newFiles(): Promise<{ folder: string; file: FolderFile; id: string }[]> {
    const all = Object.entries(folders).map(async ([folder, root]) =>
      (await filesIn(root)).map((file) => ({ folder, file, id: `${folder}/${file.path}` })),
    );
    return (await Promise.all(all)).flat();
  }

  async function send(folder: string, file: FolderFile, id: string): Promise<void> {
    const root = folders[folder] ?? '';
    const answer = await openUrl(withQuery(url(), { folder, path: file.path }), {
      method: 'POST',
      body: createReadStream(path.join(root, file.path)),
      policy,
      signal: AbortSignal.timeout(sendMilliseconds),
    }).catch(() => undefined);
    answer?.body.destroy();
    if (answer?.status === 201) sent.set(id, stateOf(file));
    else if (answer && answer.status < 500) refused.add(id);
  }

  /** Only what held still since the look before, unless it is the last look. */
  async function round(isLast: boolean): Promise<void> {
    const found = await newFiles();
    for (const { folder, file, id } of found) {
      const state = stateOf(file);
      const isSettled = isLast || before.get(id) === state;
      if (isSettled && sent.get(id) !== state && !refused.has(id)) await send(folder, file, id);
    }
    before = new Map(found.map(({ id, file }) => [id, stateOf(file)]));
  }

  async function watch(): Promise<void> {
    for (;;) {
      await pause(pollSeconds * 1000, undefined, { signal: stopped.signal });
      await round(false);
    }
  }
  const watching = watch().catch(() => {});

  return {
    async end() {
      stopped.abort();
      await watching;
      await round(true);
      const streamed = Object.fromEntries(Object.keys(folders).map((name): [string, string[]] => [name, []]));
      for (const { folder, file, id } of await newFiles()) {
        if (sent.get(id) === stateOf(file)) streamed[folder]?.push(file.path);
      }
      return streamed;
    },
  };
}

// Sends requests over kept connections, one at a time on each, and prints how many were answered per second. A
// process of its own on raw sockets: it must never be what limits the server, which has the other core.
//
//   node bench/load/generator.ts <port> <path> <connections> <warm-up ms> <measured ms> [<JSON to post>]
import net from 'node:net';

const [port = 0, , connections = 1, warmUpMilliseconds = 0, measuredMilliseconds = 1000] = process.argv
  .slice(2)
  .map(Number);
const path = process.argv[3] ?? '/';

const body = process.argv[7] ?? '';
const host = `HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
const request = Buffer.from(
  body === ''
    ? `GET ${path} ${host}\r\n`
    : `POST ${path} ${host}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);
let answered = 0;

function connect(): void {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  /** Bytes of the current answer; nearly always it comes in one piece. */
  let received: Buffer = Buffer.alloc(0);
  socket.on('connect', () => socket.write(request));
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = endOfAnswer(received);
    if (end === undefined || received.length < end) return;
    received = received.subarray(end);
    answered += 1;
    socket.write(request);
  });
  socket.on('error', (error) => fail(`A connection broke: ${error.message}`));
  socket.on('close', () => fail('The server closed a connection'));
}

/** Undefined until the whole head is there. */
function endOfAnswer(bytes: Buffer): number | undefined {
  const bodyAt = bytes.indexOf('\r\n\r\n');
  if (bodyAt === -1) return undefined;
  const head = bytes.toString('latin1', 0, bodyAt);
  if (!head.startsWith('HTTP/1.1 200')) fail(`The server answered ${head.slice(0, head.indexOf('\r\n'))}`);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) fail('The answer has no content-length');
  return bodyAt + 4 + Number(length);
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

for (let count = 0; count < connections; count++) connect();
setTimeout(() => {
  const before = answered;
  const began = performance.now();
  setTimeout(() => {
    const perSecond = (answered - before) / ((performance.now() - began) / 1000);
    process.stdout.write(`${perSecond}\n`, () => process.exit(0));
  }, measuredMilliseconds);
}, warmUpMilliseconds);

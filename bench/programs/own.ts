// What we measure with nothing but our own checkout: the server and the worker as a user starts them, and the barest server
// that the same Node can be, which is the limit of ours.
import path from 'node:path';
import { root } from '../../scripts/setup/places.js';
import type { Program } from './program.ts';

export function svcServer(settings: Readonly<Record<string, string>> = {}): Program {
  return {
    command: process.execPath,
    args: () => [path.join(root, 'bin/svc.js'), 'serve'],
    env: (port) => ({ SVC_HOST: '127.0.0.1', SVC_PORT: String(port), ...settings }),
    path: '/health',
  };
}

export function svcWorker(settings: Readonly<Record<string, string>> = {}): Program {
  return {
    command: process.execPath,
    args: (port) => [path.join(root, 'bin/svc-worker.js'), '--host', '127.0.0.1', '--port', String(port)],
    env: () => settings,
    path: '/health',
  };
}

const hello = `require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"status":"ok"}');
}).listen(Number(process.argv[1]), '127.0.0.1')`;

export const plainNode: Program = {
  command: process.execPath,
  args: (port) => ['-e', hello, String(port)],
  path: '/health',
};

// The least that sending a scan can cost: as many bytes from a file, in the way that Node's own documentation shows.
import { truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { kept } from '../line.ts';
import { startProgram } from '../programs/program.ts';
import { rows } from './warehouse.ts';

const source = `const [port, file] = process.argv.slice(1);
require('node:http').createServer((request, response) => {
  require('node:fs').createReadStream(file).pipe(response);
}).listen(Number(port), '127.0.0.1')`;

export const filePipe = kept(async (context) => {
  const file = path.join(context.sandbox.folder(), 'bytes');
  await writeFile(file, '');
  await truncate(file, rows * 64);
  return startProgram(context, {
    command: process.execPath,
    args: (port) => ['-e', source, String(port), file],
    path: '/',
  });
});

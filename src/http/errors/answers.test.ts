// What the machine cannot do right now reaches whoever asked as a refusal to be tried again, whoever noticed it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { EngineCrashed } from '../../engine/index.ts';
import type { Services } from '../services.ts';
import { answerErrors } from './answers.ts';

const coded = (code: string): Error => Object.assign(new Error(`${code}: told by the system`), { code });
const sqlite = (errcode: number): Error => Object.assign(new Error('told by SQLite'), { errcode });

const troubles: readonly [error: Error, retryAfter: string, says: RegExp][] = [
  [coded('ENOSPC'), '60', /^The storage of the server is full: this was not done\./],
  [sqlite(13), '60', /^The storage of the server is full: this was not done\./],
  [coded('EROFS'), '60', /^The storage of the server can only be read: this was not done\./],
  [sqlite(8), '60', /^The storage of the server can only be read: this was not done\./],
  [coded('EMFILE'), '5', /^The server has as many files and connections open as it may have\./],
  [new Error('around it', { cause: coded('ENFILE') }), '5', /^The server has as many files/],
  [new EngineCrashed('data', 'it was ended by SIGKILL'), '5', /^A process of the server ended while it worked on this/],
];

for (const [error, retryAfter, says] of troubles)
  test(`${error.message} is told as a refusal, and its reason stays in the log`, async () => {
    const logged: unknown[] = [];
    const app = Fastify();
    answerErrors(app, { log: { error: (text: string) => logged.push(text) } } as unknown as Services);
    app.get('/', () => Promise.reject(error));
    const { statusCode, headers, body } = await app.inject('/');
    assert.deepEqual([statusCode, headers['retry-after']], [503, retryAfter]);
    assert.match(JSON.parse(body).detail, says);
    assert.deepEqual(logged, ['Request refused']);
  });

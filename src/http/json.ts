// Reads JSON bodies. What is not JSON, too deep or not UTF-8 is answered 422 with the place where it went wrong; nothing
// that a client sends may reach a handler as an object with a changed prototype.
import type { FastifyInstance } from 'fastify';
import { RequestInvalid } from './errors/validation.ts';
import { jsonErrorOffset } from './jsonOffset.ts';

/** Deeper documents are refused before any recursive code sees them. */
const maxDepth = 128;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** `read` turns checked text into the body; it may keep numbers as they were written. */
export function acceptJson(app: FastifyInstance, read: (text: string) => unknown = parseJson): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i,
    { parseAs: 'buffer' },
    (_request, body, done) => {
      try {
        done(null, read(typeof body === 'string' ? body : decode(body)));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  );
  // Any other type is read and dropped: the schema then says that the body is missing.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw notJson(0, 'The body is not valid UTF-8');
  }
}

export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  const tooDeepAt = findDepth(text, maxDepth);
  if (tooDeepAt !== undefined) throw notJson(tooDeepAt, `Nested deeper than ${maxDepth} levels`);
  try {
    // The reviver only runs for the rare text that may name the key at all, also in escapes.
    return /__proto__|\\u00(?:5f|6f|7[024])/i.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    if (error instanceof RequestInvalid) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw notJson(jsonErrorOffset(text), message.replace(/,? ?(?:\.\.\.)?".*| in JSON at position.*$/s, ''));
  }
}

function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw notJson(0, 'The key __proto__ is not accepted');
  return value;
}

function notJson(offset: number, error: string): RequestInvalid {
  return new RequestInvalid([
    { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error', ctx: { error } },
  ]);
}

/** Where the text first nests deeper than `limit`, counting brackets outside of strings. */
function findDepth(text: string, limit: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return at;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return undefined;
}

// Bodies whose numbers count to the last digit: snapshot ids have 64 bits, and `1.0` is not `1` where a body is hashed.
import { parseExact } from '../artifacts/index.ts';
import { acceptJson, parseJson } from './json.ts';
import type { App } from './services.ts';

export function acceptExactJson(scope: App): void {
  acceptJson(scope, (text) => (parseJson(text) === undefined ? undefined : parseExact(text)));
}

// Bodies whose numbers count to the last digit: snapshot ids have 64 bits, and `1.0` is not `1` where a body is hashed.
import { parseExact } from '../artifacts/index.ts';
import { acceptJson, parseJson } from './json.ts';
import type { App } from './services.ts';

export function acceptExactJson(scope: App): void {
  acceptJson(scope, (text) => {
    const plain = parseJson(text);
    // A body that is itself a number is none that a schema wants; it is refused as what it is.
    return typeof plain === 'object' && plain !== null ? parseExact(text) : plain;
  });
}

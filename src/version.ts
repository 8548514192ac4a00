// The version of this program, as package.json states it.
import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

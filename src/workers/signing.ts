// Signed addresses: each is a permission to do one thing with one build until a moment. The signature covers what may be
// done, so that none can be used as another, and nothing else has to be kept to check it.
import { createHmac, timingSafeEqual } from 'node:crypto';

export type SignedOperation = 'download' | 'upload' | 'finalize' | 'log' | 'output_file' | 'manifest';

export interface Capability {
  readonly op: SignedOperation;
  readonly build_id: string;
  /** Epoch seconds. */
  readonly expires_at: number;
  readonly [field: string]: string | number;
}

export interface Signer {
  sign(capability: Capability): string;
  /** False for a wrong signature and for one whose time is over. */
  isValid(capability: Capability, signature: string): boolean;
  /** The clock by which addresses run out. */
  readonly now: () => number;
}

export function createSigner(secret: Uint8Array | string, now: () => number = () => Date.now() / 1000): Signer {
  const sign = (capability: Capability): string =>
    createHmac('sha256', secret)
      .update(canonical(capability))
      .digest('base64')
      .replaceAll('+', '-')
      .replaceAll('/', '_');
  return {
    sign,
    now,
    isValid(capability, signature) {
      const [ours, theirs] = [Buffer.from(sign(capability)), Buffer.from(signature)];
      const isSame = ours.length === theirs.length && timingSafeEqual(ours, theirs);
      return isSame && Number.isFinite(capability.expires_at) && now() < capability.expires_at;
    },
  };
}

/** Keys in order, with the spaces that the wire's JSON has. */
const canonical = (capability: Capability): string =>
  `{${Object.keys(capability)
    .sort()
    .map((key) => `${JSON.stringify(key)}: ${JSON.stringify(capability[key])}`)
    .join(', ')}}`;

const routes: Readonly<Record<SignedOperation, (id: string) => string>> = {
  download: () => '/v1/artifacts/download',
  upload: () => '/v1/artifacts/upload',
  finalize: (id) => `/v1/builds/${id}/finalize`,
  log: (id) => `/v1/builds/${id}/log`,
  output_file: (id) => `/v1/builds/${id}/output-file`,
  manifest: (id) => `/v1/builds/${id}/manifest`,
};

/** Path and query of a signed address: what is signed, the signature, and what comes beside it. */
export function signedPath(
  capability: Capability,
  signature: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const { op, build_id, ...signed } = capability;
  const route = routes[op](encodeURIComponent(build_id));
  const shown = Object.entries(signed).filter(([, value]) => value !== '');
  const query = new URLSearchParams({
    ...Object.fromEntries(shown.map(([key, value]) => [key, String(value)])),
    ...(route.startsWith('/v1/builds/') ? {} : { build_id }),
    signature,
    ...more,
  });
  return `${route}?${query}`;
}

// Signature version 4 of AWS, for addresses that others use without credentials of their own: a download, and a form upload
// that may be so large and no larger.
import { createHash, createHmac } from 'node:crypto';

export interface AwsIdentity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
}

const algorithm = 'AWS4-HMAC-SHA256';
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** RFC 3986, which `encodeURIComponent` falls short of. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

function signing({ secretAccessKey, accessKeyId, region }: AwsIdentity, now: Date) {
  const moment = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${moment.slice(0, 8)}/${region}/s3/aws4_request`;
  const key = scope.split('/').reduce<Buffer | string>((so, part) => hmac(so, part), `AWS4${secretAccessKey}`);
  return {
    moment,
    scope,
    credential: `${accessKeyId}/${scope}`,
    sign: (text: string) => hmac(key, text).toString('hex'),
  };
}

/** `object` is the address of the object, without a query. */
export function presignedGet(object: URL, identity: AwsIdentity, seconds: number, now = new Date()): string {
  const { moment, scope, credential, sign } = signing(identity, now);
  const query = Object.entries({
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': credential,
    'X-Amz-Date': moment,
    'X-Amz-Expires': String(Math.ceil(seconds)),
    ...(identity.sessionToken === undefined ? {} : { 'X-Amz-Security-Token': identity.sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  })
    .map(([key, value]) => `${encoded(key)}=${encoded(value)}`)
    .join('&');
  const path = object.pathname
    .split('/')
    .map((part) => encoded(decodeURIComponent(part)))
    .join('/');
  const request = ['GET', path, query, `host:${object.host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const signature = sign([algorithm, moment, scope, sha256(request)].join('\n'));
  return `${object.origin}${path}?${query}&X-Amz-Signature=${signature}`;
}

export interface PostLimits {
  readonly bucket: string;
  readonly key: string;
  readonly maxBytes: number;
  readonly seconds: number;
}

/** The fields of a form that uploads one object. */
export function presignedPost(
  identity: AwsIdentity,
  { bucket, key, maxBytes, seconds }: PostLimits,
  now = new Date(),
): Record<string, string> {
  const { moment, credential, sign } = signing(identity, now);
  const fields = {
    key,
    'x-amz-algorithm': algorithm,
    'x-amz-credential': credential,
    'x-amz-date': moment,
    ...(identity.sessionToken === undefined ? {} : { 'x-amz-security-token': identity.sessionToken }),
  };
  const conditions = [
    { bucket },
    ...Object.entries(fields).map(([name, value]) => ({ [name]: value })),
    ['content-length-range', 1, maxBytes],
  ];
  const expiration = new Date(now.getTime() + seconds * 1000).toISOString();
  const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64');
  return { ...fields, policy, 'x-amz-signature': sign(policy) };
}

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { presignedGet } from './awsSigning.ts';

// The example of the S3 documentation, "Authenticating Requests: Using Query Parameters".
it('signs an address as the documentation of S3 does', () => {
  const identity = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };
  const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
  const signed = presignedGet(url, identity, 86_400, new Date('2013-05-24T00:00:00Z'));
  assert.equal(
    new URL(signed).searchParams.get('X-Amz-Signature'),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

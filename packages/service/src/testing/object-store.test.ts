import { expect, it } from 'vitest';
import { signatureOf } from './object-store.ts';

/** Those of https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html and sig-v4-header-based-auth.html. */
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const credential = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';
const host = 'examplebucket.s3.amazonaws.com';
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

it.each([
  [
    'an address',
    {
      url: `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(credential)}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
      headers: { host },
    },
  ],
  [
    'a header',
    {
      url: '/test.txt',
      headers: {
        host,
        range: 'bytes=0-9',
        'x-amz-content-sha256': empty,
        'x-amz-date': '20130524T000000Z',
        authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41`,
      },
    },
  ],
])('the signature of %s is that of the published example', (_, request) => {
  const { accessKey, signature, expected } = signatureOf({ method: 'GET', ...request }, secret);
  expect([accessKey, signature]).toEqual(['AKIAIOSFODNN7EXAMPLE', expected]);
  expect(signatureOf({ method: 'GET', ...request }, 'another').expected).not.toBe(signature);
});

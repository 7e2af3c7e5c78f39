import { realClock } from '@moorage/base';
import { UnusableError, wordsOf } from '../../stores/health.ts';
import type { BlobStore } from '../blob-store.ts';
import { diskBlobs } from './disk-blobs.ts';
import { type RecordedObject, s3Blobs } from './s3-blobs.ts';

/** How an object store is reached; a folder needs none of it. */
export interface S3Access {
  /** `https://host[:port]`; that of Amazon in the region without it. */
  readonly s3Endpoint: string | undefined;
  readonly s3Region: string;
  readonly s3AccessKey: string | undefined;
  readonly s3SecretKey: string | undefined;
  /** Where clients reach the store; every byte goes through the service without it. */
  readonly s3PublicEndpoint?: string | undefined;
}

/**
 * Opens the blobs named by `file:DIR` or `s3://BUCKET[/PREFIX]`.
 *
 * @throws when the address has another form; an `UnusableError` when the folder or bucket cannot be used, or the keys of
 * the store are missing
 */
export async function openBlobs(url: string, access: S3Access, recorded?: RecordedObject): Promise<BlobStore> {
  const folder = /^file:(.+)$/.exec(url)?.[1];
  if (folder !== undefined) {
    return diskBlobs(folder).catch((error: unknown) => {
      throw new UnusableError(`The folder of files (--blobs) cannot be used: ${wordsOf(error)}`, { cause: error });
    });
  }
  const [, bucket, path = ''] = /^s3:\/\/([^/]+)(?:\/(.*?)\/*)?$/.exec(url) ?? [];
  if (bucket === undefined) throw new Error(`Blob store "${url}" is neither file:DIR nor s3://BUCKET`);
  const { s3Endpoint, s3PublicEndpoint: publicEndpoint, s3Region: region } = access;
  const { s3AccessKey: accessKey, s3SecretKey: secretKey } = access;
  if (!accessKey || !secretKey) {
    const message = `Setting --blobs ${url} needs --s3-access-key and --s3-secret-key`;
    throw new UnusableError(message, { isMalformed: true });
  }
  const endpoint = s3Endpoint ?? `https://s3.${region}.amazonaws.com`;
  const place = { endpoint, region, bucket, accessKey, secretKey, publicEndpoint };
  return s3Blobs(place, path === '' ? '' : `${path}/`, realClock, recorded);
}

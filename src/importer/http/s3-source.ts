import { AwsV4Signer } from 'aws4fetch'
import type { ContentSource } from '../content.ts'
import { ImportFailure } from '../failure.ts'
import type { Secrets } from '../secrets.ts'
import type { S3Source } from '../task/task.ts'
import type { OpenDownload } from './download.ts'
import { parseAddress } from './http-source.ts'

/** Creates the source of an object of S3, which is read anonymously without credentials. */
export function createS3Source({ url: text }: S3Source, { credentials }: Secrets, download: OpenDownload): ContentSource {
  const url = objectAddress(text)
  return {
    open: (from, signal) =>
      download(
        { url, headers: async () => (credentials === undefined ? {} : signed(url, credentials.user, credentials.password)) },
        from,
        signal,
      ),
  }
}

/**
 * The address of an object: `s3://bucket/key` is one of Amazon's. Servers of others are named with
 * their host, and have the bucket in the path. @throws ImportFailure
 */
export function objectAddress(text: string): URL {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(text) ?? []
  if (bucket !== undefined && key !== undefined) {
    const url = URL.parse(`https://s3.amazonaws.com/${bucket}/${key}`)
    if (url !== null && url.pathname.startsWith(`/${bucket}/`)) return url
    throw new ImportFailure('TaskInvalid', 'The address of the source is not of the form s3://bucket/key')
  }
  return parseAddress(text)
}

/** Region of servers that know none, as clients of them expect. */
const anyRegion = 'us-east-1'

/** Region in hosts of Amazon: `bucket.s3.eu-west-1.amazonaws.com`, `s3-eu-west-1.amazonaws.com`. */
export function regionOf(host: string): string {
  return /(?:^|\.)s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?$/.exec(host)?.[1] ?? anyRegion
}

/** Signs a GET by AWS Signature Version 4. The range is not signed: it changes. */
async function signed(url: URL, accessKeyId: string, secretAccessKey: string): Promise<Readonly<Record<string, string>>> {
  const signer = new AwsV4Signer({
    method: 'GET',
    url: url.href,
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region: regionOf(url.hostname),
  })
  const { headers } = await signer.sign()
  return Object.fromEntries([...headers].filter(([name]) => name !== 'host'))
}

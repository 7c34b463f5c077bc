import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createTestVolume, rawDisk, sha256 } from '../worker.fixture.ts'
import { etagOf, type Route, startFileServer } from './file-server.fixture.ts'
import { objectAddress, regionOf } from './s3-source.ts'

const disk = rawDisk(4)
const secretKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'

/** Checks a signature as the documentation of AWS describes it, apart from the library. */
function isSigned({ method = '', url = '', headers }: IncomingMessage): boolean {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/
  const [, key, day = '', region = '', names = '', signature] = pattern.exec(headers.authorization ?? '') ?? []
  const [path = '', query = ''] = url.split('?')
  const signed = names.split(';').map((name) => `${name}:${String(headers[name])}\n`)
  const request = [method, path, query, signed.join(''), names, headers['x-amz-content-sha256'] ?? ''].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, createHash('sha256').update(request).digest('hex')].join('\n')
  const derived = [day, region, 's3', 'aws4_request'].reduce(
    (by, part) => createHmac('sha256', by).update(part).digest(),
    Buffer.from(`AWS4${secretKey}`),
  )
  return key === 'AKIDEXAMPLE' && createHmac('sha256', derived).update(text).digest('hex') === signature
}

suite('objects of S3', () => {
  for (const isAnonymous of [false, true])
    test(`are read ${isAnonymous ? 'anonymously without credentials' : 'by signed requests, each with its own signature'}`, async () => {
      let requests = 0
      const object: Route = (request, response) => {
        requests++
        if (isAnonymous ? request.headers.authorization !== undefined : !isSigned(request)) return void response.writeHead(403).end()
        const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
        response.writeHead(start === 0 ? 200 : 206, {
          etag: etagOf(disk),
          'content-length': disk.length - start,
          ...(start === 0 ? {} : { 'content-range': `bytes ${start}-${disk.length - 1}/${disk.length}` }),
        })
        if (requests > 1) return void response.end(disk.subarray(start))
        response.write(disk.subarray(0, 100_000))
        setTimeout(() => response.destroy(), 30)
      }
      await using server = await startFileServer({ '/bucket/a%20disk.img': object })
      await using volume = await createTestVolume()
      if (!isAnonymous) {
        await writeFile(join(volume.secrets, 'credentials/accessKeyId'), 'AKIDEXAMPLE\n')
        await writeFile(join(volume.secrets, 'credentials/secretKey'), secretKey)
      }
      await volume.run({ kind: 's3', url: `${server.origin}/bucket/a%20disk.img` })
      assert.equal(await volume.digest(disk.length), sha256(disk))
      assert.equal(requests, 2)
    })
})

test('objectAddress() takes addresses of Amazon, and those with a host', () => {
  assert.equal(objectAddress('s3://bucket/folder/disk.img').href, 'https://s3.amazonaws.com/bucket/folder/disk.img')
  assert.equal(objectAddress('https://minio.test:9000/bucket/disk.img').host, 'minio.test:9000')
  for (const text of ['s3://bucket', 's3://bucket/../other', 'file:///etc/passwd', 'https://user:password@host/disk'])
    assert.throws(() => objectAddress(text))
})

test('regionOf() finds the region of hosts of Amazon', () => {
  const hosts = [
    's3.eu-west-1.amazonaws.com',
    'bucket.s3.ap-southeast-2.amazonaws.com',
    's3-us-west-2.amazonaws.com',
    'bucket.s3.dualstack.eu-north-1.amazonaws.com',
  ]
  assert.deepEqual(hosts.map(regionOf), ['eu-west-1', 'ap-southeast-2', 'us-west-2', 'eu-north-1'])
  assert.deepEqual(['s3.amazonaws.com', 'minio.test', 'amazonaws.com.evil.test'].map(regionOf), ['us-east-1', 'us-east-1', 'us-east-1'])
})

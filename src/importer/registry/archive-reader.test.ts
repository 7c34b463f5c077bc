import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packArchive } from '../archive/archive.fixture.ts'
import { ImportFailure } from '../failure.ts'
import { createTestVolume, rawDisk, sha256 } from '../worker.fixture.ts'

const disk = rawDisk(4)

/** An OCI image layout in a tar archive, as `skopeo copy … oci-archive:` writes it. */
async function ociArchive(tags: readonly string[]): Promise<Buffer> {
  const files: { name: string; content: Buffer }[] = []
  const put = (content: Buffer, mediaType: string): { mediaType: string; digest: string; size: number } => {
    const hex = createHash('sha256').update(content).digest('hex')
    files.push({ name: `blobs/sha256/${hex}`, content })
    return { mediaType, digest: `sha256:${hex}`, size: content.length }
  }
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value))
  const manifests = await Promise.all(
    tags.map(async (tag, index) => {
      const content = index === 0 ? disk : Buffer.alloc(4096, tag)
      const layers = [put(gzipSync(await packArchive([{ name: 'disk/disk.img', content }])), 'application/vnd.oci.image.layer.v1.tar+gzip')]
      const config = put(json({ architecture: 'amd64', config: {} }), 'application/vnd.oci.image.config.v1+json')
      const mediaType = 'application/vnd.oci.image.manifest.v1+json'
      return {
        ...put(json({ schemaVersion: 2, mediaType, config, layers }), mediaType),
        annotations: { 'org.opencontainers.image.ref.name': tag },
      }
    }),
  )
  return packArchive([
    { name: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' },
    { name: 'index.json', content: json({ schemaVersion: 2, manifests }) },
    ...files,
  ])
}

/** Imports from an archive, and returns the digest of the disk's first bytes. */
async function importFrom(archive: Buffer, tag: string): Promise<string> {
  await using volume = await createTestVolume()
  const path = join(volume.secrets, 'archive.tar')
  await writeFile(path, archive)
  await volume.run({ kind: 'registry', url: `oci-archive://${path}${tag}`, insecureSkipVerify: false })
  return volume.digest(disk.length)
}

const reasonOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'none',
    (error: unknown) => (error instanceof ImportFailure ? error.reason : String(error)),
  )

suite('OCI archives', () => {
  test('give their only image, or the one that is named', async () => {
    assert.equal(await importFrom(await ociArchive(['v1']), ''), sha256(disk))
    assert.equal(await importFrom(await ociArchive(['v1', 'v2']), ':v1'), sha256(disk))
  })

  test('are refused when no image is meant, or they are none', async () => {
    const two = await ociArchive(['v1', 'v2'])
    const found = [
      importFrom(two, ''),
      importFrom(two, ':v3'),
      importFrom(Buffer.alloc(2048, 'x'), ''),
      importFrom(await packArchive([{ name: 'a' }]), ''),
    ].map(reasonOf)
    assert.deepEqual(await Promise.all(found), ['ImageInvalid', 'ImageInvalid', 'ImageInvalid', 'ImageInvalid'])
  })
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { packArchive } from './archive/archive.fixture.ts'
import { type FailureReason, ImportFailure } from './failure.ts'
import { type Route, startFileServer } from './http/file-server.fixture.ts'
import { convertTo, createTestVolume, httpSource, rawDisk } from './worker.fixture.ts'

/** Runs qemu-img in a folder, and returns a file of it. */
async function made(commands: readonly (readonly string[])[], file: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-'))
  try {
    await writeFile(join(folder, 'secret'), Buffer.alloc(1 << 20, 'secret'))
    for (const command of commands) execFileSync('qemu-img', [...command], { cwd: folder })
    return await readFile(join(folder, file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const mebibyte = 1 << 20
const volumeBytes = 16 * mebibyte
const small = rawDisk(8)

/** A qcow2 with some bytes changed. */
async function patched(at: number, bytes: readonly number[]): Promise<Buffer> {
  const image = await convertTo(small, 'qcow2')
  Buffer.from(bytes).copy(image, at)
  return image
}

function vmdk(descriptor: string, capacity: number = 2048): Buffer {
  const image = Buffer.alloc(64 * 1024)
  image.write('KDMV', 0, 'latin1')
  image.writeUInt32LE(1, 4)
  image.writeBigUInt64LE(BigInt(capacity), 12)
  image.writeBigUInt64LE(128n, 20)
  image.writeBigUInt64LE(1n, 28)
  image.writeBigUInt64LE(20n, 36)
  image.write(`# Disk DescriptorFile\nversion=1\n${descriptor}\n`, 512, 'latin1')
  return image
}

const redirectTo =
  (location: string) =>
  (_request: unknown, response: ServerResponse): void =>
    void response.writeHead(302, { location }).end()

interface Case {
  readonly name: string
  readonly route: () => Route | Promise<Route>
  readonly reason: FailureReason
  readonly fatal: boolean
}

const file = (content: Buffer): Route => ({ content })
/** A small archive, whose end is followed by what is added. */
const tarEnd = await packArchive([{ name: 'a', content: 'x' }])

const cases: readonly Case[] = [
  {
    name: 'a qcow2 with a backing file',
    route: async () => file(await made([['create', '-q', '-f', 'qcow2', '-b', 'secret', '-F', 'raw', 'image']], 'image')),
    reason: 'BackingFileRefused',
    fatal: true,
  },
  {
    name: 'a qcow2 with its data in another file',
    route: async () =>
      file(await made([['create', '-q', '-f', 'qcow2', '-o', 'data_file=secret,data_file_raw=on', 'image', '1M']], 'image')),
    reason: 'ExternalDataRefused',
    fatal: true,
  },
  {
    name: 'an encrypted qcow2',
    route: async () =>
      file(
        await made(
          [
            [
              'create',
              '-q',
              '-f',
              'qcow2',
              '--object',
              'secret,id=key,data=password',
              '-o',
              // LUKS measures the processor at the creation, which fails on a busy machine.
              'encrypt.format=aes,encrypt.key-secret=key',
              'image',
              '1M',
            ],
          ],
          'image',
        ),
      ),
    reason: 'EncryptedImageRefused',
    fatal: true,
  },
  { name: 'a qcow2 of an unknown version', route: async () => file(await patched(4, [0, 0, 0, 99])), reason: 'ImageInvalid', fatal: true },
  {
    name: 'a qcow2 with impossible clusters',
    route: async () => file(await patched(20, [0, 0, 0, 60])),
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'a qcow2 with an unknown feature',
    route: async () => file(await patched(72, [0, 0, 0, 0, 0x80, 0, 0, 0])),
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'a qcow2 whose tables lie behind its end',
    route: async () => file(await patched(40, [0, 0, 0x7f, 0, 0, 0, 0, 0])),
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'a qcow2 that was cut off',
    route: async () => {
      const image = await convertTo(small, 'qcow2')
      return file(image.subarray(0, image.length - 300_000))
    },
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'the first bytes of a qcow2 only',
    route: async () => file((await convertTo(small, 'qcow2')).subarray(0, 50)),
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'a qcow2 that is larger than the volume',
    route: async () => file(await made([['create', '-q', '-f', 'qcow2', 'image', '1T']], 'image')),
    reason: 'VolumeTooSmall',
    fatal: true,
  },
  {
    name: 'a qcow2 with snapshots of a size beyond numbers',
    route: async () => file(await patched(24, [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'a VMDK that names another file',
    route: () => file(vmdk('createType="monolithicFlat"\nRW 2048 FLAT "/etc/passwd" 0')),
    reason: 'ExternalDataRefused',
    fatal: true,
  },
  {
    name: 'a VMDK that is taken for a description',
    route: () => file(vmdk('createType="monolithicSparse"\nRW 8 FLAT "/etc/passwd" 0', 0)),
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'a VMDK with a parent',
    route: () => file(vmdk('createType="monolithicSparse"\nparentFileNameHint="/etc/passwd"')),
    reason: 'BackingFileRefused',
    fatal: true,
  },
  {
    name: 'a description of a VMDK',
    route: () => file(Buffer.from('# Disk DescriptorFile\ncreateType="monolithicFlat"\nRW 8 FLAT "/etc/passwd" 0\n')),
    reason: 'FormatUnsupported',
    fatal: true,
  },
  { name: 'a web page', route: () => file(Buffer.from('<!DOCTYPE html><html>Log in</html>')), reason: 'FormatUnsupported', fatal: true },
  { name: 'nothing', route: () => file(Buffer.alloc(0)), reason: 'ImageInvalid', fatal: true },
  {
    name: 'a raw disk that is larger than the volume',
    route: () => file(Buffer.alloc(24 * mebibyte)),
    reason: 'VolumeTooSmall',
    fatal: true,
  },
  { name: 'a gzip bomb', route: () => file(gzipSync(Buffer.alloc(24 * mebibyte))), reason: 'VolumeTooSmall', fatal: true },
  { name: 'a zstd bomb', route: () => file(zstdCompressSync(Buffer.alloc(24 * mebibyte))), reason: 'VolumeTooSmall', fatal: true },
  {
    name: 'an xz bomb',
    route: () => file(execFileSync('xz', ['-0', '--stdout'], { input: Buffer.alloc(24 * mebibyte), maxBuffer: 1 << 28 })),
    reason: 'VolumeTooSmall',
    fatal: true,
  },
  {
    name: 'a bomb in a bomb',
    route: () => file(gzipSync(gzipSync(Buffer.alloc(24 * mebibyte)))),
    reason: 'FormatUnsupported',
    fatal: true,
  },
  {
    name: 'a damaged gzip',
    route: () => file(Buffer.concat([gzipSync(small).subarray(0, 50_000), Buffer.alloc(50_000, 7)])),
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'xz that wants a gibibyte of memory',
    route: () =>
      file(execFileSync('xz', ['--stdout', '--lzma2=preset=0,dict=1GiB'], { input: small.subarray(0, mebibyte), maxBuffer: 1 << 28 })),
    reason: 'ImageInvalid',
    fatal: true,
  },
  {
    name: 'a stream without end',
    route: () => ({ content: Buffer.alloc(mebibyte, 'x'), isEndless: true }),
    reason: 'VolumeTooSmall',
    fatal: true,
  },
  { name: 'a redirect to a file', route: () => redirectTo('file:///etc/passwd'), reason: 'RedirectRefused', fatal: true },
  { name: 'a redirect to FTP', route: () => redirectTo('ftp://127.0.0.1/disk'), reason: 'RedirectRefused', fatal: true },
  { name: 'redirects in a circle', route: () => redirectTo('/image'), reason: 'RedirectRefused', fatal: true },
  { name: 'a server that says nothing', route: () => () => {}, reason: 'SourceStalled', fatal: false },
  {
    name: 'a server that drips',
    route: () => ({ content: Buffer.alloc(mebibyte, 'x'), pauseMs: 700 }),
    reason: 'SourceStalled',
    fatal: false,
  },
  {
    name: 'a missing file',
    route: () => (_request, response) => void response.writeHead(404).end(),
    reason: 'SourceNotFound',
    fatal: true,
  },
  {
    name: 'a server that wants a password',
    route: () => (_request, response) => void response.writeHead(401).end(),
    reason: 'SourceRefused',
    fatal: false,
  },
]

suite('sources that must not be used', { concurrency: 4 }, () => {
  for (const { name, route, reason, fatal } of cases)
    test(`${name} is refused: ${reason}`, async () => {
      await using server = await startFileServer({ '/image': await route() })
      await using volume = await createTestVolume()
      const patience = { idleMs: 500, windowMs: 400, windowBytes: 1 << 20 }
      await assert.rejects(
        volume.run(
          httpSource(`${server.origin}/image`),
          { volumeBytes },
          { patience: name.startsWith('a server') ? patience : { ...patience, idleMs: 5_000, windowMs: 60_000 } },
        ),
        (error) => error instanceof ImportFailure && error.reason === reason && error.fatal === fatal,
      )
      // What may get better is continued; nothing is left of anything else.
      if (fatal) assert.deepEqual(await volume.names(), [])
      assert.equal((await volume.names()).includes('disk.img'), false)
    })

  const archives: Readonly<Record<string, readonly [archive: () => Buffer | Promise<Buffer>, reason: FailureReason]>> = {
    'a path that leads out': [
      () =>
        packArchive([
          { name: 'a', content: 'x' },
          { name: '../b', content: 'x' },
        ]),
      'UnsafeArchive',
    ],
    'a device': [() => packArchive([{ name: 'a', type: 'block-device' }]), 'UnsafeArchive'],
    'a bomb of zeros behind its end': [() => gzipSync(Buffer.concat([tarEnd, Buffer.alloc(100 * mebibyte)])), 'VolumeTooSmall'],
    'more files than there is room for': [() => packArchive([{ name: 'a', content: Buffer.alloc(17 * mebibyte, 1) }]), 'VolumeTooSmall'],
    'a disk': [() => small, 'FormatUnsupported'],
  }
  for (const [name, [make, reason]] of Object.entries(archives))
    test(`an archive with ${name} is refused: ${reason}`, async () => {
      await using server = await startFileServer({ '/archive': { content: await make() } })
      await using volume = await createTestVolume()
      await assert.rejects(
        volume.run(httpSource(`${server.origin}/archive`), { contentType: 'archive', volumeBytes }),
        (error) => error instanceof ImportFailure && error.reason === reason && error.fatal,
      )
      assert.deepEqual(await volume.names(), [])
    })

  test('a wrong checksum is refused', async () => {
    await using server = await startFileServer({ '/image': { content: small } })
    await using volume = await createTestVolume()
    await assert.rejects(
      volume.run(httpSource(`${server.origin}/image`, `sha256:${'0'.repeat(64)}`)),
      (error) => error instanceof ImportFailure && error.reason === 'ChecksumMismatch' && error.fatal,
    )
    assert.deepEqual(await volume.names(), [])
  })
})

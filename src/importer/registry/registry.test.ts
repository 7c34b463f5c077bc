import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { ImportFailure } from '../failure.ts'
import type { ImportSource } from '../task/task.ts'
import { convertTo, createTestVolume, rawDisk, sha256 } from '../worker.fixture.ts'
import { type OpenRegistry, openRegistry, resolveDigest, resolveImage, unpackImage } from './index.ts'
import { startTestRegistry, type TestImage, type TestRegistry, type TestRegistryOptions } from './registry.fixture.ts'

const disk = rawDisk(4)
const signal = new AbortController().signal
const context = { path: process.env['PATH'] ?? '', signal }

/** Source of an image in a registry without TLS. */
function sourceOf({ host }: TestRegistry, name: string, architecture?: string): ImportSource {
  return {
    kind: 'registry',
    url: `docker://${host}/${name}`,
    insecureSkipVerify: true,
    ...(architecture === undefined ? {} : { architecture }),
  }
}

/** Opens a repository of a test registry. */
function open({ host }: TestRegistry, name: string): OpenRegistry {
  return openRegistry(`${host}/${name}`, { credentials: undefined, authorities: [], isInsecure: true })
}

/** Imports an image of one layer with the disk, and returns the labels. */
async function importDisk(
  image: Partial<TestImage>,
  options: TestRegistryOptions = {},
  secrets: Readonly<Record<string, string>> = {},
): Promise<TestRegistry & { readonly labels: unknown }> {
  const registry = await startTestRegistry(options)
  await registry.add('team/disks:latest', {
    layers: [
      [
        { name: 'disk/', type: 'directory' },
        { name: 'disk/disk.img', content: disk },
      ],
    ],
    ...image,
  })
  await using volume = await createTestVolume()
  for (const [name, value] of Object.entries(secrets)) await writeFile(join(volume.secrets, 'credentials', name), value)
  try {
    const { labels } = await volume.run(sourceOf(registry, 'team/disks'))
    assert.equal(await volume.digest(disk.length), sha256(disk))
    return Object.assign(registry, { labels })
  } finally {
    await registry[Symbol.asyncDispose]()
  }
}

const refused =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof ImportFailure && error.reason === reason

suite('images of registries', () => {
  for (const compression of ['gzip', 'zstd', 'none'] as const)
    test(`a disk in a layer with compression ${compression}`, async () => void (await importDisk({ compression })))

  test('a qcow2 in a layer', async () => {
    const content = await convertTo(disk, 'qcow2', ['-c'])
    await importDisk({ layers: [[{ name: './disk/image.qcow2', content }]] })
  })

  test('a connection that breaks is continued', async () => void (await importDisk({}, { dropAfter: 200_000 })))

  test('labels come from the environment of the image', async () => {
    const environment = [
      'PATH=/bin',
      'INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE=fedora',
      'KUBEVIRT_IO_TEST_TEST=x',
      'KUBEVIRT_IO_BAD=not a label',
    ]
    const { labels } = await importDisk({ environment })
    assert.deepEqual(labels, { 'instancetype.kubevirt.io/default-preference': 'fedora', 'kubevirt.io/test-test': 'x' })
  })

  for (const scheme of ['basic', 'bearer'] as const)
    test(`a registry that wants a password, by ${scheme}`, async () => {
      const login = { username: 'me', password: 'secret', scheme }
      await importDisk({}, { login }, { accessKeyId: 'me', secretKey: 'secret' })
      await assert.rejects(importDisk({}, { login }, { accessKeyId: 'me', secretKey: 'wrong' }), refused('SourceRefused'))
      await assert.rejects(importDisk({}, { login }), refused('SourceRefused'))
    })

  test('the password goes to the registry only, and not to the server that it has its blobs on', async () => {
    const login = { username: 'me', password: 'secret', scheme: 'basic' } as const
    const { elsewhere } = await importDisk({}, { login, redirectsBlobs: true }, { accessKeyId: 'me', secretKey: 'secret' })
    assert.ok(elsewhere.length >= 2)
    assert.ok(elsewhere.every(({ authorization }) => authorization === undefined))
  })

  test('the highest layer with a disk counts', async () => {
    await importDisk({
      layers: [
        [{ name: 'disk/old.img', content: Buffer.alloc(4096, 'old') }],
        [{ name: 'disk/disk.img', content: disk }],
        [{ name: 'etc/version', content: '1' }],
      ],
    })
  })

  const without: Readonly<Record<string, readonly [image: Partial<TestImage>, reason: string]>> = {
    'no disk': [{ layers: [[{ name: 'etc/passwd', content: 'x' }]] }, 'NoDiskInImage'],
    'a disk that a higher layer removes': [{ layers: [[{ name: 'disk/a', content: disk }], [{ name: '.wh.disk' }]] }, 'NoDiskInImage'],
    'a link in place of a disk': [{ layers: [[{ name: 'disk/a', type: 'symlink', linkname: '/etc/passwd' }]] }, 'UnsafeArchive'],
    'a device in place of a disk': [{ layers: [[{ name: 'disk/a', type: 'block-device' }]] }, 'UnsafeArchive'],
    'a path that leads out': [{ layers: [[{ name: 'disk/../../etc/passwd', content: disk }]] }, 'UnsafeArchive'],
    'a bootable container': [{ labels: { 'containers.bootc': '1' } }, 'NoDiskInImage'],
    'a blob that is not that of its digest': [{ isDamaged: true }, 'DigestMismatch'],
  }
  for (const [name, [image, reason]] of Object.entries(without))
    test(`${name} is refused: ${reason}`, () => assert.rejects(importDisk(image), refused(reason)))

  test('chooses the image of an architecture', async () => {
    await using registry = await startTestRegistry()
    const other = rawDisk(5)
    const image = (architecture: string, content: Buffer): TestImage => ({ architecture, layers: [[{ name: 'disk/disk.img', content }]] })
    const digest = await registry.add('disks:latest', [image('s390x', other), image('amd64', disk)])
    await using volume = await createTestVolume()
    await volume.run(sourceOf(registry, `disks@${digest}`, 's390x'))
    assert.equal(await volume.digest(other.length), sha256(other))
    await assert.rejects(volume.run(sourceOf(registry, 'disks', 'riscv64')), refused('TargetNotEmpty'))
    await using empty = await createTestVolume()
    await assert.rejects(empty.run(sourceOf(registry, 'disks', 'riscv64')), refused('ArchitectureMissing'))
  })

  test('tells the digest of a name without reading the image', async () => {
    for (const hasDigestHeader of [true, false]) {
      await using registry = await startTestRegistry({ hasDigestHeader })
      const digest = await registry.add('disks:latest', { layers: [[{ name: 'disk/disk.img', content: disk }]] })
      using opened = open(registry, 'disks')
      assert.equal(await resolveDigest(opened.reader, { version: 'latest', isDigest: false, architecture: undefined }, signal), digest)
      assert.ok(registry.requests.every((each) => !each.includes('/blobs/')))
    }
  })

  test('unpacks files as a container runtime does, and nothing outside of the folder', async () => {
    await using registry = await startTestRegistry()
    await registry.add('app:latest', {
      layers: [
        [
          { name: 'bin/old', content: 'old' },
          { name: 'data/a', content: 'a' },
          { name: 'data/b', content: 'b' },
          { name: 'boot/vmlinuz', type: 'symlink', linkname: '/boot/vmlinuz-1' },
          { name: 'boot/vmlinuz-1', content: 'kernel' },
        ],
        [
          { name: 'bin/.wh.old' },
          { name: 'bin/new', content: 'new', mode: 0o755 },
          { name: 'data/c', content: 'c' },
          { name: 'data/.wh..wh..opq' },
        ],
      ],
    })
    const folder = await mkdtemp(join(tmpdir(), 'unpack-image-'))
    try {
      using opened = open(registry, 'app')
      const { reader } = opened
      const image = await resolveImage(reader, { version: 'latest', isDigest: false, architecture: undefined }, signal)
      await unpackImage(reader, image, { folder, limits: { bytes: 1 << 20, entries: 100 } }, context)
      const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((each) => !each.isDirectory())
        .map(({ name }) => name)
      assert.deepEqual(names.toSorted(), ['c', 'new', 'vmlinuz', 'vmlinuz-1'])
      assert.equal(await readFile(join(folder, 'boot/vmlinuz'), 'utf8'), 'kernel')
      await assert.rejects(unpackImage(reader, image, { folder, limits: { bytes: 5, entries: 100 } }, context), refused('VolumeTooSmall'))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

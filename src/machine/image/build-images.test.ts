import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { RELEASE_CONTENTS } from '#machine/release/release-contents.ts'
import { buildImages, ImageBuildRefused, type BuiltImages, type ImageBuildOptions } from './build-images.ts'
import { IMAGE_ROOT, NODE_PROGRAMS } from './component-images.ts'
import { MachineFileMissing } from './files/machine-files.ts'
import { blobPath, LAYOUT_FILE, readConfig, readLayout } from '#oci/image/image-layout.ts'
import type { ImageManifest } from '#oci/image/media-types.ts'
import { RevisionUnknown } from './source-revision.ts'

/** A QEMU without libraries, which takes no time to pack. */
const FAKE_QEMU = '#!/bin/sh\ndirname "$0" | sed "s,bin$,share/qemu,"\n'

const noDpkg = existsSync('/usr/bin/dpkg-query') && existsSync('/usr/bin/qemu-img') ? false : 'images are built on Debian with qemu-utils'

/** A checkout whose programs take no time to bundle, and a QEMU. */
async function makeSources(): Promise<{ readonly root: string; readonly qemu: string }> {
  const root = await mkdtemp(join(tmpdir(), 'image-source-'))
  const qemu = join(root, 'qemu')
  const files: Record<string, string> = {
    ...Object.fromEntries(NODE_PROGRAMS.map((name) => [`src/cmd/${name}.ts`, `import 'some-package'\nexport const name = '${name}'\n`])),
    ...Object.fromEntries(Object.values(RELEASE_CONTENTS).map((path) => [path, '[]'])),
    'src/features/launcher/virt-launcher.sh': '#!/bin/sh\n',
    'node_modules/node/bin/node': 'a program',
    'node_modules/some-package/package.json': '{"name":"some-package","main":"index.js"}',
    'node_modules/some-package/index.js': 'globalThis.isLoaded = true',
    'package-lock.json': JSON.stringify({
      packages: { 'node_modules/node': { version: '26.0.0' }, 'node_modules/some-package': { version: '1.2.3', license: 'MIT' } },
    }),
    'qemu/bin/qemu-system-x86_64': FAKE_QEMU,
    'qemu/share/qemu/bios-256k.bin': 'bios',
    'guest/boot/vmlinuz': 'kernel',
    'guest/boot/initrd': 'initrd',
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content, { mode: path.includes('/bin/') ? 0o755 : 0o600 })
  }
  return { root, qemu }
}

suite('buildImages()', { skip: noDpkg }, () => {
  let folder = ''
  let options: ImageBuildOptions
  let first: BuiltImages
  before(async () => {
    const { root, qemu } = await makeSources()
    folder = root
    options = {
      root,
      output: join(root, 'out'),
      version: 'v9.1.0',
      registry: 'example.com/team',
      qemu: { folder: qemu, version: '9.0.0' },
      facts: { upgradesFrom: 'v9.0.0', featureGates: {}, revisionVersions: [] },
      demoGuest: { tag: 'v1', folder: join(root, 'guest') },
      sourceDateEpoch: '1700000000',
      hasArchive: true,
      compression: 1,
    }
    first = await buildImages(options)
  })
  after(() => rm(folder, { recursive: true }))

  test('builds the same digests from a checkout in another folder, in place of an older layout', async () => {
    const moved = await mkdtemp(join(tmpdir(), 'image-source-'))
    try {
      for (const name of ['src', 'node_modules', 'manifests', 'guest', 'package-lock.json'])
        await cp(join(folder, name), join(moved, name), { recursive: true })
      const output = join(moved, 'out')
      await mkdir(join(output, 'blobs'), { recursive: true })
      await writeFile(join(output, LAYOUT_FILE), '{}')
      await buildImages({ ...options, root: moved, demoGuest: { tag: 'v1', folder: join(moved, 'guest') }, output })
      for (const name of ['index.json', 'images.tar'])
        assert.ok((await readFile(join(output, name))).equals(await readFile(join(options.output, name))), name)
      const left = (await readdir(moved)).filter((name) => name.startsWith('.out') || name.endsWith('.old'))
      assert.deepEqual(left, [])
    } finally {
      await rm(moved, { recursive: true })
    }
  })

  test('gives each component its user, program and layers, of which the lower ones are shared', async () => {
    const images = await readLayout(options.output)
    const found = new Map<string, { manifest: ImageManifest; user: string | undefined; entrypoint: readonly string[] }>()
    for (const { reference, manifest } of images) {
      const { config, rootfs } = await readConfig(options.output, manifest)
      assert.equal(rootfs.diff_ids.length, manifest.layers.length)
      found.set(reference, { manifest, user: config.User, entrypoint: config.Entrypoint ?? [] })
    }
    const name = (component: string): string => `example.com/team/${component}:v9.1.0`
    assert.deepEqual(
      [...found.keys()].toSorted(),
      ['example.com/team/demo-guest:v1', ...[...NODE_PROGRAMS, 'steadyvm-tasks-disk-virt', 'virt-launcher'].map(name)].toSorted(),
    )
    for (const program of NODE_PROGRAMS) {
      const { user, entrypoint } = found.get(name(program)) ?? {}
      assert.equal(user, program === 'virt-importer' ? '107:107' : '65532:65532')
      assert.deepEqual(entrypoint, [`${IMAGE_ROOT}/bin/node`, `${IMAGE_ROOT}/programs/${program}.mjs`])
    }
    assert.equal(found.get(name('virt-launcher'))?.user, '107:107')
    const layers = (component: string): string[] => found.get(name(component))?.manifest.layers.map(({ digest }) => digest) ?? []
    assert.deepEqual(layers('virt-operator').slice(0, 2), layers('virt-handler').slice(0, 2))
    assert.equal(layers('virt-handler')[2], layers('virt-launcher')[1], 'QEMU is one layer of both')
  })

  test('has files that every user can read, and none of a private folder', async () => {
    const modes = new Set<string>()
    for (const { manifest } of await readLayout(options.output)) {
      for (const { digest } of manifest.layers) {
        const list = execFileSync('tar', ['-tvzf', blobPath(options.output, digest), '--numeric-owner'], {
          encoding: 'utf8',
          maxBuffer: 1 << 26,
        })
        for (const line of list.trim().split('\n')) {
          const [mode = '', owner] = line.split(/\s+/)
          modes.add(mode)
          assert.equal(owner, '0/0', line)
        }
      }
    }
    assert.deepEqual([...modes].toSorted(), ['-rw-r--r--', '-rwxr-xr-x', 'drwxr-xr-x', 'drwxrwxrwt', 'lrwxrwxrwx'])
  })

  test('attaches an SBOM and a provenance statement to each image', async () => {
    for (const { reference, descriptor, referrers } of await readLayout(options.output)) {
      const documents = await Promise.all(
        referrers.map(
          async ({ manifest }) =>
            JSON.parse(await readFile(blobPath(options.output, manifest.layers[0]?.digest ?? ''), 'utf8')) as Document,
        ),
      )
      const sbom = documents.find((each) => each.spdxVersion === 'SPDX-2.3')
      const statement = documents.find((each) => each.predicateType === 'https://slsa.dev/provenance/v1')
      assert.deepEqual(statement?.subject, [{ name: reference, digest: { sha256: descriptor.digest.slice('sha256:'.length) } }])
      const names = sbom?.packages.map((each) => each.name) ?? []
      const ids = sbom?.packages.map((each) => each.SPDXID) ?? []
      assert.equal(new Set(ids).size, ids.length)
      const isProgram = /virt-(api|controller|handler|importer|exportserver)|-operator|-tasks/.test(reference)
      const hasQemu = /virt-(handler|importer|launcher)|-tasks/.test(reference)
      assert.equal(names.includes('some-package'), isProgram, reference)
      assert.equal(names.includes('qemu-utils'), hasQemu, reference)
      assert.equal(names.includes('openssh-client'), reference.includes('-tasks'), reference)
      const files = sbom?.files?.map(({ fileName }) => fileName) ?? []
      assert.equal(
        files.some((file) => file.endsWith('/qemu/bin/qemu-system-x86_64')),
        hasQemu,
        files.join(' '),
      )
    }
    const written = await readdir(join(options.output, 'attestations'))
    assert.equal(written.length, 2 * first.images.length)
  })

  test('refuses a wrong version, a folder of other files, and sources whose time is unknown', async () => {
    await assert.rejects(buildImages({ ...options, version: 'latest' }), ImageBuildRefused)
    await assert.rejects(buildImages({ ...options, output: join(folder, 'guest') }), ImageBuildRefused, 'no layout')
    const { sourceDateEpoch: _, ...without } = options
    await assert.rejects(buildImages(without), RevisionUnknown)
    await assert.rejects(buildImages({ ...options, sourceDateEpoch: 'yesterday' }), RevisionUnknown)
  })

  test('refuses to build without QEMU or its firmware, and names the package', async () => {
    const failed = async (qemu: string): Promise<string> => {
      const error = await buildImages({ ...options, qemu: { folder: qemu, version: '9.0.0' } }).catch((each: unknown) => each)
      assert.ok(error instanceof MachineFileMissing, String(error))
      return error.message
    }
    assert.ok((await failed(join(folder, 'nothing'))).includes('qemu-system-x86'))
    const other = join(folder, 'other-qemu')
    await mkdir(join(other, 'bin'), { recursive: true })
    await writeFile(join(other, 'bin/qemu-system-x86_64'), FAKE_QEMU, { mode: 0o755 })
    assert.ok((await failed(other)).includes('seabios'))
  })
})

interface Document {
  readonly spdxVersion?: string
  readonly packages: readonly { readonly name: string; readonly SPDXID: string }[]
  readonly files?: readonly { readonly fileName: string }[]
  readonly predicateType?: string
  readonly subject?: unknown
}

import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { resolveImage } from './image-store.ts'
import { buildRelease, ReleaseRefused } from './build-release.ts'
import { inspectReleases, isReleaseVersion, listReleases, readRelease, ReleaseDamaged, verifyRelease } from './release-directory.ts'
import { RELEASE_CONTENTS } from './release-contents.ts'
import { thisRelease, type Release } from './release.ts'

/** Programs that take no time to bundle. End-to-end tests build releases of the checkout. */
async function makeCheckout(): Promise<Release> {
  const root = await mkdtemp(join(tmpdir(), 'checkout-'))
  const programs = [
    'virt-api',
    'virt-controller',
    'virt-handler',
    'virt-importer',
    'virt-exportserver',
    'hyperconverged-operator',
    'steadyvm-tasks',
    'after-apiserver',
  ].map((name) => `src/cmd/${name}.ts`)
  for (const file of [
    ...programs,
    'src/features/launcher/virt-launcher.sh',
    'node_modules/node/bin/node',
    ...Object.values(RELEASE_CONTENTS),
  ]) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), `// ${file}\nexport {}\n`)
  }
  return { ...thisRelease(), root }
}

const qemu = { folder: '/usr', version: '7.2.0' }
const facts = { upgradesFrom: 'v9.0.0', featureGates: {}, revisionVersions: ['v1beta1'] }

suite('buildRelease()', () => {
  let releases = ''
  let source: Release
  let first: Awaited<ReturnType<typeof buildRelease>>
  before(async () => {
    releases = await mkdtemp(join(tmpdir(), 'releases-'))
    source = await makeCheckout()
    first = await buildRelease({ source, releases, version: 'v9.1.0', qemu, facts })
  })
  after(() => Promise.all([releases, source.root].map((folder) => rm(folder, { recursive: true }))))

  test('builds a reproducible release that runs by image reference, and shares files between versions', async () => {
    const images = join(releases, 'none')
    assert.ok(first.isNew)
    assert.equal((await buildRelease({ source, releases, version: 'v9.1.0', qemu, facts })).isNew, false)
    await buildRelease({ source, releases, version: 'v9.2.0', qemu, facts })
    assert.deepEqual(await listReleases(releases), ['v9.1.0', 'v9.2.0'])
    const node = (version: string): string => join(releases, version, 'bin/node')
    assert.equal((await stat(node('v9.1.0'))).ino, (await stat(node('v9.2.0'))).ino)

    const handler = await resolveImage({ images, releases }, source, 'steadyvm.io/virt-handler:v9.1.0')
    assert.equal(handler.entrypoint[0], node('v9.1.0'))
    for (const word of handler.entrypoint.filter((each) => each.startsWith('/'))) assert.ok((await stat(word)).isFile(), word)
    assert.deepEqual(
      (await readdir(releases)).filter((name) => name.startsWith('.build-')),
      [],
    )
  })

  test('refuses invalid versions, changes of a release, and the version of the checkout', async () => {
    for (const wrong of [
      { version: 'v9.1.0', qemu: { ...qemu, version: '10.0.0' } },
      { version: source.version },
      { version: '../v1.0.0' },
      { version: 'v0.4.01' },
      { version: 'v00.4.1' },
      { version: 'v0.4.1-rc.01' },
      { version: 'v0.4.1-rc..1' },
      { version: 'v0.4.1+build' },
      { version: `v0.4.${'1'.repeat(300)}` },
    ]) {
      await assert.rejects(buildRelease({ source, releases, qemu, facts, ...wrong }), ReleaseRefused, JSON.stringify(wrong))
    }
  })

  test('builds releases whose damage is detected before they run', async () => {
    const { manifest } = first
    await verifyRelease(releases, manifest)
    const file = join(releases, 'v9.1.0', 'programs/virt-api.mjs')
    await chmod(file, 0o600)
    await writeFile(file, 'broken')
    await assert.rejects(verifyRelease(releases, manifest), ReleaseDamaged)
    // It is the same file, by a hard link.
    await assert.rejects(resolveImage({ images: releases, releases }, source, 'steadyvm.io/virt-api:v9.2.0'), ReleaseDamaged)
    await writeFile(join(releases, 'v9.1.0', 'release.json'), '{')
    await assert.rejects(readRelease(releases, 'v9.1.0'), ReleaseDamaged)
  })

  test('builds releases that are found beside damaged ones', async () => {
    await mkdir(join(releases, 'v9.0.0'))
    await buildRelease({ source, releases, version: 'v9.4.0-rc.1', qemu, facts })
    const found = await inspectReleases(releases)
    assert.deepEqual(
      found.map((release) => [release.version, 'damage' in release && release.damage.includes('build it again')]),
      [
        ['v9.0.0', true],
        ['v9.1.0', true],
        ['v9.2.0', true],
        ['v9.4.0-rc.1', false],
      ],
    )
  })
})

test('isReleaseVersion() accepts only valid folder names', () => {
  for (const text of ['v0.2.0', 'v10.0.1-rc.1']) assert.ok(isReleaseVersion(text), text)
  for (const text of ['', 'latest', '0.2.0', 'v1', 'v1.2.3/..', '../v1.2.3', 'v1.2.3 ']) assert.ok(!isReleaseVersion(text), text)
})

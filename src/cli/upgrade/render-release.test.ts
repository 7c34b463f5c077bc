import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { publishedGates, renderPlatform, type PlatformObjects } from '#features/hyperconverged/index.ts'
import { buildRelease } from '#machine/release/build-release.ts'
import { thisRelease } from '#machine/release/release.ts'
import { ownReleaseNotes, readLocalReleases } from './local-releases.ts'
import { createReleaseRenderer } from './render-release.ts'

const version = 'v9.1.0'
const objects: PlatformObjects = {
  hyperconverged: {
    metadata: { name: 'kubevirt-hyperconverged', namespace: 'kubevirt' },
    spec: { virtualization: { liveMigrationConfig: { progressTimeout: 33 } } },
    status: {
      versions: [{ name: 'operator', version: 'v0.1.0' }],
      steadyvm: { gateDefaults: [{ name: 'declarativeHotplugVolumes', state: 'Disabled' }] },
    },
  } as HyperConverged,
  nodes: [],
  kubevirt: undefined,
  overrides: [
    {
      metadata: { name: 'slow' },
      spec: { component: 'kubevirt', patch: [{ op: 'remove', path: '/spec/none' }], owner: 'a', reason: 'b' },
    } as ComponentOverride,
  ],
  now: 0,
}

suite('components as another release renders them', () => {
  const { signal } = new AbortController()
  let releases = ''
  before(async () => {
    releases = await mkdtemp(join(tmpdir(), 'releases-'))
    await buildRelease({ source: thisRelease(), releases, version, qemu: { folder: '/usr', version: '7.2.0' }, facts: ownReleaseNotes })
  })
  after(() => rm(releases, { recursive: true }))
  const local = (): ReturnType<typeof readLocalReleases> => readLocalReleases({ releases, to: version, from: undefined, path: '' })

  test('the operator of a release renders, and the release publishes its gates and CRDs', async () => {
    const found = await local()
    assert.deepEqual(found.releases.find((one) => one.version === version)?.hyperConvergedGates, publishedGates)
    assert.ok(found.nextDefinitions.some(({ metadata }) => metadata.name === 'kubevirts.kubevirt.io'))
    const answer = await createReleaseRenderer(found, { releases, signal })(version, objects)
    assert.deepEqual(answer, { platform: JSON.parse(JSON.stringify(renderPlatform(objects, version))) })
    assert.equal(answer.platform?.overrides[0]?.problem?.reason, 'DoesNotApply')
    // Kept gates are those that the other release keeps.
    assert.match(JSON.stringify(answer.platform.components[0]?.object), /"HotplugVolumes"/)
  })

  test('this release renders for itself, and in place of one that cannot, which is said', async () => {
    const own = thisRelease().version
    const found = await local()
    const ask = createReleaseRenderer(found, { releases, signal })
    assert.equal((await ask(own, objects)).gap, undefined)
    const older = { releases: found.releases.map((one) => ({ ...one, hyperConvergedGates: undefined })) }
    const answer = await createReleaseRenderer(older, { releases, signal })(version, objects)
    assert.match(answer.gap ?? '', /v9\.1\.0 cannot be asked what it renders/)
    assert.ok(answer.platform !== undefined)
    assert.deepEqual(await ask('v9.9.9', objects), { platform: undefined })
  })

  test('a damaged release is not run, and one that fails is named with its error', async () => {
    await writeFile(join(releases, version, 'programs/hyperconverged-operator.mjs'), 'console.error("broken"); process.exit(3)')
    const damaged = await local()
    assert.ok(damaged.damage !== undefined)
    assert.deepEqual(await createReleaseRenderer(damaged, { releases, signal })(version, objects), { platform: undefined })
    const believed = { releases: [{ ...damaged.releases[0], version, hyperConvergedGates: [] }] } as unknown as typeof damaged
    const answer = await createReleaseRenderer(believed, { releases, signal })(version, objects)
    assert.match(answer.gap ?? '', /could not be asked what it renders \(its operator ended with code 3: broken\)/)
  })
})

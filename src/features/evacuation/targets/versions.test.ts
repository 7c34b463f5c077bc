import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import { names, imageHash } from '#features/vmi/index.ts'
import { guest } from '#features/eviction/vmi.fixture.ts'
import { node } from '../node.fixture.ts'
import { isAgentOlderThanLauncher, targetReleaseSelector } from './versions.ts'

const image = (version: string): string => `registry:5000/virt-launcher:${version}`
const running = (version: string) => guest('LiveMigrate', true, { launcherContainerImageVersion: image(version) })

/** A node with an agent of a version; `saying` is the image annotation, which old releases lack. */
function of(version: string, name: string = version, saying: string | undefined = version): Node {
  const bare = node(name, { labels: { [names.releaseLabel]: imageHash(image(version)) } })
  const annotations = saying === undefined ? {} : { [names.launcherImageAnnotation]: image(saying) }
  return { ...bare, metadata: { ...bare.metadata, annotations } }
}

const silent = (version: string): Node => {
  const { metadata, ...rest } = of(version)
  return { ...rest, metadata: { ...metadata, annotations: {} } }
}

suite('isAgentOlderThanLauncher()', () => {
  const rows: readonly (readonly [string, boolean, Node, string])[] = [
    ['is false for the same release', false, of('v2.0.0'), 'v2.0.0'],
    ['is false for the same release without an image annotation', false, silent('v2.0.0'), 'v2.0.0'],
    ['is false for a newer release', false, of('v2.0.1'), 'v2.0.0'],
    ['compares numbers, not letters', false, of('v10.0.0'), 'v9.0.0'],
    ['is true for an older release', true, of('v1.9.9'), 'v2.0.0'],
    ['is true for another release without an image annotation', true, silent('v1.0.0'), 'v2.0.0'],
    ["is true for another release than the annotation's", true, of('v1.0.0', 'n', 'v2.0.1'), 'v2.0.0'],
    ['is false for images without versions', false, of('devel'), 'latest'],
  ]
  for (const [name, expected, at, version] of rows) test(name, () => assert.equal(isAgentOlderThanLauncher(at, running(version)), expected))

  test('returns false for a guest whose launcher image is unknown', () => {
    assert.equal(isAgentOlderThanLauncher(node('n'), guest('LiveMigrate', true)), false)
  })
})

suite('targetReleaseSelector()', () => {
  const [old, same, newer] = [of('v1.0.0'), of('v2.0.0', 'same'), of('v3.0.0', 'newer')]
  const rows: readonly (readonly [string, string | undefined, readonly Node[], readonly Node[]])[] = [
    ['is none when all nodes are suitable', undefined, [same, newer], [same, newer]],
    ['excludes an older release', 'v2.0.0', [old, same], [same]],
    ['also excludes one on a cordoned node', 'v3.0.0', [{ ...old, spec: { unschedulable: true } }, newer], [newer]],
    ['is the most frequent release', 'v3.0.0', [old, same, newer, of('v3.0.0', 'more')], [same, newer, of('v3.0.0', 'more')]],
    ['is none without a node', undefined, [old], []],
  ]
  for (const [name, version, all, fit] of rows) {
    const expected = version === undefined ? undefined : { [names.releaseLabel]: imageHash(image(version)) }
    test(name, () => assert.deepEqual(targetReleaseSelector(running('v2.0.0'), all, fit), expected))
  }
})

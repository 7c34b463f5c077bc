import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertFromBelow, installed, type Installation } from '../support/installation.ts'

/** At each instant one node at most has an agent that ends again and again. */
async function assertOneCanary(system: Installation, image: string): Promise<void> {
  const bad = (await system.parts.pods()).filter(({ spec }) => spec.containers[0]?.image === image)
  assert.ok(bad.length <= 1, `${bad.length} pods of ${image}`)
}

const isRejected = async (system: Installation): Promise<boolean> => (await system.kubevirt()).status?.steadyvm?.rejected !== undefined

suite('an upgrade to the next version', { concurrency: 4 }, () => {
  for (const from of ['v1.0.0', 'v1.0.3', 'v1.0.17']) {
    test(`from ${from}, a patch of the previous version`, async () => {
      await using system = await installed(2, from)
      system.check = () => assertFromBelow(system, 'v1.1.0')
      system.startOperator()
      await system.ask({ imageTag: 'v1.1.0' })
      await system.runUntil(() => system.isAt('v1.1.0'))
      assert.deepEqual(await system.ground(), { rights: 'of-v1.1', kinds: 'v1alpha1,v1alpha2*' })
    })
  }

  test('on a single node', async () => {
    await using system = await installed(1, 'v1.0.0')
    system.check = () => assertFromBelow(system, 'v1.1.0')
    system.startOperator()
    await system.ask({ imageTag: 'v1.1.0' })
    await system.runUntil(() => system.isAt('v1.1.0'))
  })

  test('that is the same version from another registry', async () => {
    await using system = await installed(2, 'v1.0.0')
    system.startOperator()
    await system.ask({ imageRegistry: 'other.test' })
    await system.runUntil(() => system.isAt('v1.0.0', 'other.test'))
  })

  test('is rolled back from the same version in another registry if that does not start', async () => {
    await using system = await installed(3, 'v1.0.0', (image) => image.startsWith('other.test/'))
    system.check = () => assertOneCanary(system, 'other.test/virt-handler:v1.0.0')
    system.startOperator()
    await system.ask({ imageRegistry: 'other.test' })
    await system.runUntil(() => isRejected(system))
    await system.runUntil(() => system.isAt('v1.0.0'))
  })

  test('while a former leader that has not noticed the loss of its lease still works', async () => {
    await using system = await installed(3, 'v1.0.0', (image) => image === 'registry.test/virt-handler:v1.2.0')
    system.check = () => assertFromBelow(system, 'v1.1.0')
    system.startOperator()
    system.startOperator()
    await system.ask({ imageTag: 'v1.1.0' })
    await system.runUntil(() => system.isAt('v1.1.0'))
    system.check = () => assertOneCanary(system, 'registry.test/virt-handler:v1.2.0')
    await system.ask({ imageTag: 'v1.2.0' })
    await system.runUntil(() => isRejected(system))
    await system.runUntil(() => system.isAt('v1.1.0'))
  })
})

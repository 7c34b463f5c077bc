import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { atEveryWrite } from '../support/crash/every-write.ts'
import { assertFromBelow, Installation, installed } from '../support/installation.ts'

/** Strides through the writes at which the operator is killed; 1: every write. */
const strides = { default: 18, long: 6 }

/**
 * Runs an operator that is killed at a write, then another one to completion. Returns false if the
 * crash point was not reached.
 */
async function runWithCrash(system: Installation, crash: CrashPoint, isDone: () => Promise<boolean>): Promise<boolean> {
  let isKilled = false
  const stop = system.startOperator((client) => crashingClient(client, crash, () => (isKilled = true)))
  await system.runUntil(async () => isKilled || (await isDone()))
  // The operator is down for a while, and the cluster continues.
  if (isKilled) for (let rest = 5; rest > 0; rest--) await system.runUntil(() => true)
  await stop()
  const end = system.startOperator()
  await system.runUntil(isDone)
  await end()
  return isKilled
}

suite('an operator that is killed at any write', { concurrency: false }, () => {
  test('while it installs: all objects exist afterwards', async (t) => {
    const scenario = async (crash: CrashPoint): Promise<boolean> => {
      await using system = await Installation.create(2, { imageTag: 'v1.0.0' })
      const wasKilled = await runWithCrash(system, crash, () => system.isAt('v1.0.0'))
      assert.deepEqual(await system.ground(), { rights: 'of-v1.0', kinds: 'v1alpha1*' })
      return wasKilled
    }
    await atEveryWrite(t, strides, scenario, 8)
  })

  test('while it upgrades: in order, and every component has its RBAC and CRDs', async (t) => {
    const scenario = async (crash: CrashPoint): Promise<boolean> => {
      await using system = await installed(2, 'v1.0.0')
      system.check = async () => {
        await assertFromBelow(system, 'v1.1.0')
        await assertGround(system)
      }
      await system.ask({ imageTag: 'v1.1.0' })
      const wasKilled = await runWithCrash(system, crash, () => system.isAt('v1.1.0'))
      assert.deepEqual(await system.ground(), { rights: 'of-v1.1', kinds: 'v1alpha1,v1alpha2*' })
      return wasKilled
    }
    await atEveryWrite(t, strides, scenario, 16)
  })

  test('while it rolls back a release that does not start: at most one node has run it', async (t) => {
    const image = 'registry.test/virt-handler:v1.1.0'
    const scenario = async (crash: CrashPoint): Promise<boolean> => {
      await using system = await installed(3, 'v1.0.0', (one) => one === image)
      const nodes = new Set<string>()
      system.check = async () => {
        await assertGround(system)
        const bad = (await system.parts.pods('virt-handler')).filter(({ spec }) => spec.containers[0]?.image === image)
        for (const { spec } of bad) nodes.add(spec.nodeName ?? '')
        assert.ok(bad.length <= 1, `${bad.length} agents do not start`)
        assert.deepEqual(await system.images('virt-api'), ['registry.test/virt-api:v1.0.0'])
      }
      await system.ask({ imageTag: 'v1.1.0' })
      const isBack = async (): Promise<boolean> =>
        (await system.kubevirt()).status?.steadyvm?.rejected?.version === 'v1.1.0' && (await system.isAt('v1.0.0'))
      const wasKilled = await runWithCrash(system, crash, isBack)
      nodes.delete('')
      assert.equal(nodes.size, 1, [...nodes].join())
      return wasKilled
    }
    await atEveryWrite(t, strides, scenario, 8)
  })
})

/** Asserts that every running component has the RBAC and the CRDs of its version. */
async function assertGround(system: Installation): Promise<void> {
  const images = await system.images()
  const { rights, kinds } = await system.ground()
  for (const image of images) {
    const minor = Number(/:v1\.(\d+)\./.exec(image)?.[1])
    assert.ok(rights.split(',').includes(`of-v1.${minor}`), `${image} has only ${rights}`)
    assert.ok(kinds.includes(`v1alpha${minor + 1}`), `${image} has only ${kinds}`)
  }
}

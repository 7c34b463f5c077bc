import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { conflict, forbiddenPath } from '#apimachinery/errors.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { handOver } from './hand-over.ts'
import { guestOf, migrationOf, targetPod } from '../migration.fixture.ts'
import type { Ports } from '../ports.ts'

/** Hands a guest over with a write that succeeds, or fails with the error. */
async function hand(error?: Error): Promise<{ readonly events: string[]; readonly thrown: unknown }> {
  const events: string[] = []
  const source = { metadata: { name: 's', uid: 'p1' }, spec: { containers: [], nodeName: 'a' } } satisfies Pod
  const ports = {
    client: { patch: () => (error === undefined ? Promise.resolve() : Promise.reject(error)) },
    pods: { byIndex: () => [source] },
    namespaces: { get: () => undefined },
    policies: { list: () => [] },
    recorder: { event: (_: unknown, type: string, reason: string, message: string) => events.push(`${type} ${reason} ${message}`) },
    own: { note: () => {} },
    config: () => defaultClusterConfig,
  } as unknown as Ports
  const vmi = guestOf({ activePods: { p1: 'a' } })
  const thrown = await handOver(ports, migrationOf(), { vmi, target: targetPod({ phase: 'Running' }) }).catch((reason: unknown) => reason)
  return { events, thrown }
}

suite('handOver()', () => {
  test('emits an event on success', async () => {
    const { events, thrown } = await hand()
    assert.equal(thrown, undefined)
    assert.match(events.join(), /^Normal SuccessfulHandOver .*node b$/)
  })

  test('emits an event with the reason of a failure, and is retried', async () => {
    const { events, thrown } = await hand(forbiddenPath('not yours'))
    assert.match(events.join(), /^Warning FailedHandOver .*node b: .*not yours/)
    assert.ok(thrown instanceof Error)
  })

  test('emits nothing on a conflict', async () => {
    const { events, thrown } = await hand(conflict({ group: 'kubevirt.io', plural: 'virtualmachineinstances' }, 'web'))
    assert.deepEqual(events, [])
    assert.ok(thrown instanceof Error)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Client } from '#client/client.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { unbundledManifests } from '../manifests/operator-manifests.ts'
import { createUnbundledObjects, unbundledObjects } from './unbundled-objects.ts'

const objects = unbundledObjects(unbundledManifests('kubevirt'))
const { signal } = new AbortController()

function recordingClient(refusals = 0): { readonly client: Pick<Client, 'patch'>; readonly applied: string[] } {
  const applied: string[] = []
  let left = refusals
  const patch = async (
    resource: { readonly kind: string },
    key: { readonly name: string; readonly namespace?: string },
  ): Promise<object> => {
    if (left-- > 0) throw new Error('refused')
    applied.push(`${resource.kind} ${key.namespace ?? ''}/${key.name}`)
    return {}
  }
  return { client: { patch } as unknown as Pick<Client, 'patch'>, applied }
}

suite('createUnbundledObjects()', () => {
  test('applies all objects, and again after ten minutes', async () => {
    const clock = createVirtualClock()
    const { client, applied } = recordingClient()
    const apply = createUnbundledObjects({ client, clock }, objects)
    await apply(signal)
    await apply(signal)
    assert.equal(applied.length, objects.length)
    assert.ok(applied.includes('RoleBinding kube-system/steadyvm-virt-api'))
    await clock.advance(10 * 60_000)
    await apply(signal)
    assert.equal(applied.length, 2 * objects.length)
  })

  test('applies them at once after an error', async () => {
    const { client, applied } = recordingClient(1)
    const apply = createUnbundledObjects({ client, clock: createVirtualClock() }, objects)
    await assert.rejects(apply(signal), /refused/)
    await apply(signal)
    assert.equal(applied.length, objects.length)
  })

  test('refuses kinds that belong into the bundle', () => {
    assert.throws(
      () => unbundledObjects([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } }]),
      /belongs into the bundle/,
    )
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { conflict, forbidden, notFound, pathNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createPodResizer } from './pod-resizer.ts'

const pod: Pod = { metadata: { name: 'p', namespace: 'default', resourceVersion: '1' }, spec: { containers: [] } }
const change = { resources: { requests: { cpu: '2' } }, size: '2 CPUs, 1Gi' }
const subject = { group: '', plural: 'pods' }

/** Answers a write of `pods/resize` with an error, and counts them. */
function refusing(error: Error): { readonly client: Pick<Client, 'patch'>; readonly count: () => number } {
  let count = 0
  const patch = (): Promise<never> => {
    count++
    return Promise.reject(error)
  }
  return { client: { patch }, count: () => count }
}

suite('createPodResizer()', () => {
  test('resizes on the version that was read, then notes the size', async () => {
    const sent: unknown[] = []
    const patch = ((_resource, _key, body, options) => {
      sent.push([options?.subresource ?? '', body])
      return Promise.resolve({ ...pod, metadata: { ...pod.metadata, resourceVersion: '2' } })
    }) as Client['patch']
    assert.equal(await createPodResizer({ clock: createVirtualClock() }).resize({ patch }, pod, change), undefined)
    assert.deepEqual(sent, [
      [
        'resize',
        {
          type: 'strategic',
          body: { metadata: { resourceVersion: '1' }, spec: { containers: [{ name: 'compute', resources: change.resources }] } },
        },
      ],
      ['', { type: 'merge', body: { metadata: { annotations: { 'steadyvm.io/guest-size': change.size }, resourceVersion: '2' } } }],
    ])
  })

  test('reports what the API server refuses, and throws what passes', async () => {
    const resizer = createPodResizer({ clock: createVirtualClock() })
    const quota = refusing(forbidden(subject, 'p', 'exceeded quota'))
    assert.equal((await resizer.resize(quota.client, pod, change))?.reason, 'Refused')
    for (const error of [conflict(subject, 'p'), notFound(subject, 'p'), new TypeError('bug')])
      await assert.rejects(resizer.resize(refusing(error).client, pod, change), error)
  })

  test('does not ask a cluster without the subresource for each pod, but again later', async () => {
    const clock = createVirtualClock()
    const resizer = createPodResizer({ clock })
    const { client, count } = refusing(pathNotFound())
    for (const _ of [1, 2, 3]) assert.equal((await resizer.resize(client, pod, change))?.reason, 'NotSupported')
    assert.equal(count(), 1)
    await clock.advance(600_000)
    await resizer.resize(client, pod, change)
    assert.equal(count(), 2)
  })
})

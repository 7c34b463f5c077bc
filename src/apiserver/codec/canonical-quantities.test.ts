import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type Loose, startTestServer } from '../endpoints/verbs.fixture.ts'

const requests = { cpu: '1000m', memory: '1024Ki', 'example.com/gpu': 2 }

test('quantities of built-in kinds are stored in canonical form', async () => {
  await using server = await startTestServer()
  const pod = await server.create('pods', {
    metadata: { name: 'a', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'x', resources: { requests } }], overhead: { cpu: 0.5 } },
  })
  const spec = pod.spec as { containers: Loose[]; overhead: object }
  assert.deepEqual(spec.containers[0]?.['resources'], { requests: { cpu: '1', memory: '1Mi', 'example.com/gpu': '2' } })
  assert.deepEqual(spec.overhead, { cpu: '500m' })
  // Writing back what was read changes nothing.
  assert.deepEqual(await server.update('pods', pod), pod)
})

test('quantities of custom kinds are stored unchanged', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', { metadata: { name: 'a', namespace: 'default' }, spec: { free: { cpu: '1000m' } } })
  assert.deepEqual(made.spec, { free: { cpu: '1000m' }, size: 3 })
})

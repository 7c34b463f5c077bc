import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startTestServer } from '../verbs.fixture.ts'

const mutation = { dryRun: false, fieldValidation: 'Strict' } as const

test('scale is read and written', async () => {
  await using server = await startTestServer()
  const made = await server.create('widgets', { metadata: { name: 'a', namespace: 'default' }, spec: { replicas: 2, color: 'red' } })
  const status = { phase: 'Ready', replicas: 1, selector: 'app=a' }
  await server.update('widgets', { ...made, status }, 'status')
  const target = server.target('widgets', 'a', 'scale')
  const scale = (await server.verbs.get(target, server.context)).object as { spec?: unknown; status?: unknown; kind?: string }
  assert.deepEqual([scale.kind, scale.spec, scale.status], ['Scale', { replicas: 2 }, { replicas: 1, selector: 'app=a' }])

  const { entry } = await server.verbs.patch(target, { type: 'merge', body: { spec: { replicas: 5 } } }, mutation, server.context)
  assert.deepEqual((entry.object as { spec?: unknown }).spec, { replicas: 5 })
  const after = await server.get('widgets', 'a')
  assert.deepEqual([after.spec, after.status, after.metadata?.generation], [{ replicas: 5, color: 'red', size: 3 }, status, 2])
})

test('scale checks replicas, version and existence', async () => {
  await using server = await startTestServer()
  await server.create('widgets', { metadata: { name: 'a', namespace: 'default' }, spec: { replicas: 2 } })
  await server.create('widgets', { metadata: { name: 'bare', namespace: 'default' }, spec: {} })
  await server.create('configmaps', { metadata: { name: 'a', namespace: 'default' } })
  const change = (body: object, name = 'a'): Promise<unknown> =>
    server.verbs.patch(server.target('widgets', name, 'scale'), { type: 'merge', body }, mutation, server.context)
  await assert.rejects(change({ spec: { replicas: -1 } }), { reason: 'Invalid' })
  await assert.rejects(change({ spec: { replicas: 1.5 } }), { reason: 'Invalid' })
  await assert.rejects(change({ metadata: { resourceVersion: '1' }, spec: { replicas: 1 } }), { reason: 'Conflict' })
  await assert.rejects(change({ spec: { replicas: 1 } }, 'bare'), { code: 500 })
  await assert.rejects(server.verbs.get(server.target('configmaps', 'a', 'scale'), server.context), { code: 405 })
})

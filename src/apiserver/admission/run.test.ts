import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import type { AdmissionPlugin } from './chain.ts'

test('runMutating() and runValidating() skip plugins for other resources', async () => {
  const asked: string[] = []
  const plugin: AdmissionPlugin = {
    name: 'Curious',
    resources: new Set(['/configmaps']),
    mutate: ({ target }) => void asked.push(`mutate ${target.definition.plural}`),
    validate: ({ target }) => void asked.push(`validate ${target.definition.plural}`),
  }
  await using api = await startTestServer([plugin])
  await api.create('secrets', { metadata: { name: 'a', namespace: 'default' } })
  await api.create('configmaps', { metadata: { name: 'a', namespace: 'default' } })
  assert.deepEqual(asked, ['mutate configmaps', 'validate configmaps'])
})

test('patch() does not allocate an abort signal', async () => {
  await using api = await startTestServer()
  await api.create('configmaps', { metadata: { name: 'a', namespace: 'default' } })
  const context = {
    user: api.context.user,
    fieldManager: 'test',
    warn: () => {},
    get signal(): AbortSignal {
      throw new Error('nobody needs it')
    },
  }
  const change = { type: 'merge', body: { data: { k: 'v' } } } as const
  const { entry } = await api.verbs.patch(api.target('configmaps', 'a'), change, { dryRun: false, fieldValidation: 'Strict' }, context)
  assert.deepEqual((entry.object as { data?: object }).data, { k: 'v' })
})

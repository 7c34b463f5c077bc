import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Loose, startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'

test('required numbers and booleans that are zero in Go may be absent', async () => {
  await using server = await startTestServer()
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const cases: readonly [plural: string, spec: object, status: Loose, expected: Loose][] = [
    ['replicationcontrollers', { selector: { a: 'b' }, template }, { readyReplicas: 1 }, { replicas: 0, readyReplicas: 1 }],
    ['replicasets', { selector: { matchLabels: { a: 'b' } }, template }, { readyReplicas: 1 }, { replicas: 0, readyReplicas: 1 }],
    [
      'poddisruptionbudgets',
      { minAvailable: 1 },
      { observedGeneration: 1 },
      { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    ],
    [
      'daemonsets',
      { selector: { matchLabels: { a: 'b' } }, template },
      { numberReady: 1 },
      { numberReady: 1, currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0 },
    ],
  ]
  for (const [plural, spec, status, expected] of cases) {
    const made = await server.create(plural, { metadata: { name: 'a', namespace: 'default' }, spec })
    const body = { object: { ...made, status }, duplicates: [] }
    const options = { dryRun: false, fieldValidation: 'Strict' } as const
    const { object } = await server.verbs.update(server.target(plural, 'a', 'status'), body, options, server.context)
    assert.deepEqual((object as Loose)['status'], expected, plural)
  }
})

test('type and status of a condition may be empty or absent', async () => {
  await using server = await startTestServer()
  const spec = {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'tabs', kind: 'Tab' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  }
  await server.create('customresourcedefinitions', { metadata: { name: 'tabs.example.org' }, spec })
  for (const condition of [{ type: '', status: '', message: 'updated' }, { message: 'patched' }]) {
    const live = await server.get('customresourcedefinitions', 'tabs.example.org')
    const status = { ...(live.status as object), conditions: [condition] }
    const written = await server.update('customresourcedefinitions', { ...live, status }, 'status')
    assert.deepEqual((written.status as Loose)['conditions'], [{ type: '', status: '', ...condition }])
  }
})

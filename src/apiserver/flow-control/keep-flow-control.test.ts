import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FlowSchema } from '#api/flowcontrol/v1/flow-schema.ts'
import { type Loose, startTestServer, type TestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { parseRequestInfo } from '#apiserver/request/request-info.ts'
import { createFlowControl } from './flow-control.ts'
import { keepFlowControl } from './keep-flow-control.ts'
import { suggestedLevels, suggestedSchemas } from './suggested-objects.ts'

const schemas = 'flowschemas'
const levels = 'prioritylevelconfigurations'

async function withFlows(work: (server: TestServer, until: (holds: () => Promise<boolean>) => Promise<void>) => Promise<void>) {
  await using server = await startTestServer()
  const errors: unknown[] = []
  using _ = keepFlowControl({ ...server, now: server.time.now, onError: (error) => void errors.push(error) })
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds().catch(() => false))) {
      assert.deepEqual(errors, [])
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await until(async () => dangling(await server.get(schemas, 'catch-all')) === 'False')
  await work(server, until)
}

const dangling = (schema: Loose): string | undefined =>
  (schema as FlowSchema).status?.conditions?.find(({ type }) => type === 'Dangling')?.status
const specOf = (name: string): unknown => suggestedSchemas.find(({ metadata }) => metadata.name === name)?.spec

suite('keepFlowControl()', () => {
  test('creates the objects of kube-apiserver', () =>
    withFlows(async (server) => {
      for (const { metadata, spec } of suggestedSchemas) assert.deepEqual((await server.get(schemas, metadata.name ?? '')).spec, spec)
      for (const { metadata, spec } of suggestedLevels) assert.deepEqual((await server.get(levels, metadata.name ?? '')).spec, spec)
    }))

  test('restores what is deleted, and what is changed unless an annotation forbids it', () =>
    withFlows(async (server, until) => {
      const { uid } = (await server.get(schemas, 'exempt')).metadata ?? {}
      await server.verbs.delete(server.target(schemas, 'exempt'), { dryRun: false }, server.context)
      await until(async () => (await server.get(schemas, 'exempt')).metadata?.uid !== uid)

      const probes = await server.get(schemas, 'probes')
      const changed = { ...(probes.spec as object), matchingPrecedence: 7 }
      await server.update(schemas, { ...probes, spec: changed })
      await until(async () => (await server.get(schemas, 'probes')).metadata?.generation === 3)
      assert.deepEqual((await server.get(schemas, 'probes')).spec, specOf('probes'))

      const kept = await server.get(schemas, 'kube-scheduler')
      const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'false' }
      await server.update(schemas, {
        ...kept,
        metadata: { ...kept.metadata, annotations },
        spec: { ...(kept.spec as object), matchingPrecedence: 7 },
      })
      await server.verbs.delete(server.target(schemas, 'service-accounts'), { dryRun: false }, server.context)
      await until(async () => (await server.get(schemas, 'service-accounts')).metadata?.name !== undefined)
      assert.equal(((await server.get(schemas, 'kube-scheduler')).spec as FlowSchema['spec'])?.matchingPrecedence, 7)
    }))

  test('reports whether the level of a FlowSchema exists, and requests belong to those whose level does', () =>
    withFlows(async (server, until) => {
      using flows = createFlowControl(server.store)
      const info = parseRequestInfo('GET', '/api/v1/pods', new URLSearchParams())
      const flow = () => flows.classify(info, { username: 'ann', groups: ['system:authenticated'] })
      assert.equal(flow()?.schema, 'global-default')
      const rules = [
        {
          subjects: [{ kind: 'User', user: { name: 'ann' } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true }],
        },
      ]
      const made = await server.create(schemas, { metadata: { name: 'own' }, spec: { priorityLevelConfiguration: { name: 'own' }, rules } })
      await until(async () => dangling(await server.get(schemas, 'own')) === 'True')
      assert.equal(flow()?.schema, 'global-default')
      const limited = { limitResponse: { type: 'Reject' } }
      const level = await server.create(levels, { metadata: { name: 'own' }, spec: { type: 'Limited', limited } })
      await until(async () => dangling(await server.get(schemas, 'own')) === 'False')
      assert.deepEqual(flow(), { schema: 'own', schemaUid: made.metadata?.uid, level: 'own', levelUid: level.metadata?.uid })
    }))
})

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import { startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { createInProcessClient } from '#apiserver/in-process/in-process-client.ts'
import { scratch } from '#apiserver/storage/store.fixture.ts'
import { dataDirectory } from '../home/data-directory.ts'
import { ensureOperator, operatorDeployment } from './operator-deployment.ts'

test('ensureOperator() creates the Deployment, keeps changes of an administrator, and replaces it for other code', async () => {
  await using server = await startTestServer()
  using directory = scratch()
  const client = createInProcessClient({ ...server, user: { username: 'test', groups: ['system:masters'] } })
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubevirt' } })
  const manifest = join(directory.path, 'virt-operator.json')
  const key = { namespace: 'kubevirt', name: 'virt-operator' }
  const ensure = async (code: string): Promise<Deployment> => {
    const deployment = operatorDeployment({
      directory: dataDirectory('/home'),
      config: { apiPort: 7443, nodes: ['node-1', 'node-2'] },
      release: { version: 'v0.1.0', root: '/program' },
      identify: () => code,
    })
    await writeFile(manifest, JSON.stringify(deployment))
    await ensureOperator(client, manifest)
    return client.get(deployments, key)
  }
  const first = await ensure('a')
  const [container] = first.spec.template.spec.containers
  assert.ok(container?.args?.includes('--platform=/home/platform.json'))
  await client.patch(deployments, key, { type: 'merge', body: { spec: { replicas: 0 } } })
  assert.equal((await ensure('a')).spec.replicas, 0)
  const replaced = await ensure('b')
  assert.deepEqual([replaced.spec.replicas, replaced.metadata.uid], [1, first.metadata.uid])
  await client.delete(deployments, key)
  assert.notEqual((await ensure('b')).metadata.uid, first.metadata.uid)
})

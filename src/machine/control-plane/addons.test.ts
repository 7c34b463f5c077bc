import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { namespaces } from '#api/core/v1/resources.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'
import { serveCustomResources } from '#apiserver/extensions/serve-custom-resources.ts'
import { createInProcessClient } from '#apiserver/in-process/in-process-client.ts'
import { scratch } from '#apiserver/storage/store.fixture.ts'
import { ensureAddons } from './addons.ts'

const name = 'virtualmachinepreferences.instancetype.kubevirt.io'

test('ensureAddons() replaces older CRDs, and keeps the served versions of the cluster', async () => {
  await using server = await startTestServer()
  using _resources = serveCustomResources({ ...server, now: server.time.now, randomUuid: randomUUID, onError: () => assert.fail() })
  using directory = scratch()
  const client = createInProcessClient({ ...server, user: { username: 'test', groups: ['system:masters'] } })
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } })
  const shipped = await readFile(join(import.meta.dirname, '..', '..', '..', 'manifests', 'crds.generated.json'), 'utf8')
  const ship = async (text: string): Promise<CustomResourceDefinition> => {
    await writeFile(join(directory.path, 'crds.generated.json'), text)
    await writeFile(join(directory.path, 'machine-crds.generated.json'), '[]')
    await ensureAddons(client, directory.path, 'kubevirt')
    return client.get(customResourceDefinitions, { name })
  }
  const first = await ship(shipped)
  assert.equal((await ship(shipped)).metadata.resourceVersion, first.metadata.resourceVersion, 'what is the same is left alone')
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://127.0.0.1/convert' }, conversionReviewVersions: ['v1'] },
  }
  const versions = first.spec.versions.map((version) => ({ ...version, served: true }))
  const switched = await client.patch(customResourceDefinitions, { name }, { type: 'merge', body: { spec: { conversion, versions } } })
  const newer = await ship(shipped.replaceAll('Boot', 'Start').replaceAll('Firmware.', 'What starts a guest.'))
  assert.notEqual(newer.metadata.resourceVersion, switched.metadata.resourceVersion)
  assert.match(JSON.stringify(newer.spec.versions), /What starts a guest/)
  assert.deepEqual(
    [newer.spec.conversion, newer.spec.versions.map(({ served }) => served)],
    [conversion, versions.map(({ served }) => served)],
  )
})

test('ensureAddons() does not recreate removed objects', async () => {
  await using server = await startTestServer()
  using resources = serveCustomResources({ ...server, now: server.time.now, randomUuid: randomUUID, onError: () => assert.fail() })
  const manifests = join(import.meta.dirname, '..', '..', '..', 'manifests')
  const client = createInProcessClient({ ...server, user: { username: 'test', groups: ['system:masters'] } })
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } })
  await ensureAddons(client, manifests, 'kubevirt')
  const [kubevirt] = (await client.list(kubeVirts)).items
  assert.equal(kubevirt?.metadata.name, 'kubevirt')
  // As the operator does it.
  await client.delete(customResourceDefinitions, { name })
  await client.delete(kubeVirts, { namespace: 'kubevirt', name: 'kubevirt' })
  await resources.settled()
  await ensureAddons(client, manifests, 'kubevirt')
  assert.deepEqual((await client.list(kubeVirts)).items, [])
  assert.ok(!(await client.list(customResourceDefinitions)).items.some(({ metadata }) => metadata.name === name))
  // A new KubeVirt object installs the CRDs again, at the latest at the next start.
  await client.create(kubeVirts, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'own', namespace: 'kubevirt' },
    spec: {},
  })
  await ensureAddons(client, manifests, 'kubevirt')
  assert.equal((await client.list(kubeVirts)).items.length, 1)
  assert.ok((await client.list(customResourceDefinitions)).items.some(({ metadata }) => metadata.name === name))
})

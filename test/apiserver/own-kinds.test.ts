import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { isConflict } from '#apimachinery/errors.ts'
import { expandedCrd } from '#features/operator/install/crds.ts'
import { startTestApi } from '../support/api-server.ts'
import { eventually, repository } from '../support/machine.ts'

test('the operator restores edited CRDs, and writes nothing for CRDs as the server returns them', async () => {
  await using server = await startTestApi()
  const client = server.api.client({ username: 'somebody', groups: ['system:masters'] })
  const wanted = JSON.parse(readFileSync(join(repository, 'manifests', 'crds.generated.json'), 'utf8')) as CustomResourceDefinition[]
  const origin = { version: 'v1.0.0', hash: 'of-them', count: wanted.length }
  const lacking = async (): Promise<readonly CustomResourceDefinition[]> => {
    const { items } = await client.list(customResourceDefinitions)
    const present = new Map(items.map((one) => [one.metadata.name, one]))
    return wanted.flatMap((one) => expandedCrd(present.get(one.metadata.name), one, origin) ?? [])
  }
  const mend = async (): Promise<boolean> => {
    for (const body of await lacking()) {
      const { name = '' } = body.metadata
      // Status writes of the server change the CRD, too: a conflict is retried.
      const patch = { type: 'apply', body, fieldManager: 'operator', force: true } as const
      await client.patch(customResourceDefinitions, { name }, patch).catch((error: unknown) => assert.ok(isConflict(error)))
    }
    return (await lacking()).length === 0
  }
  await eventually(mend, () => 'something is always lacking')
  const name = 'virtualmachines.kubevirt.io'
  await client.patch(customResourceDefinitions, { name }, { type: 'merge', body: { spec: { names: { shortNames: ['mine'] } } } })
  assert.deepEqual(
    (await lacking()).map(({ metadata }) => metadata.name),
    [name],
  )
  await eventually(mend, () => 'something is always lacking')
  assert.deepEqual((await client.get(customResourceDefinitions, { name })).spec.names.shortNames, ['vm', 'vms'])
})

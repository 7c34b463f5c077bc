import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '#apiserver/endpoints/verbs.fixture.ts'

test('CSIStorageCapacity keeps quantities in canonical form, and shows them', async () => {
  await using server = await startTestServer()
  const object = { metadata: { name: 'a', namespace: 'default' }, storageClassName: 'fast', capacity: '1024Mi', nodeTopology: {} }
  const made = await server.create('csistoragecapacities', object)
  assert.deepEqual([made['capacity'], made['nodeTopology']], ['1Gi', {}])
  const { columns } = server.target('csistoragecapacities').definition
  assert.deepEqual(
    columns.map(({ name, cell }) => [name, cell(made, 0)]),
    [
      ['Name', 'a'],
      ['StorageClassName', 'fast'],
      ['Capacity', '1Gi'],
    ],
  )
})

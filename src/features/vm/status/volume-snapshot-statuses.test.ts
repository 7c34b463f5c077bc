import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { vmWith } from '../vm.fixture.ts'
import { volumeSnapshotStatuses } from './volume-snapshot-statuses.ts'

test('volumeSnapshotStatuses() names each volume, and why a snapshot leaves it out', () => {
  const volumes: Volume[] = [
    { name: 'root', dataVolume: { name: 'web-root' } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'lost', persistentVolumeClaim: { claimName: 'lost' } },
    { name: 'seed', cloudInitNoCloud: { userData: '' } },
    { name: 'dump', memoryDump: { claimName: 'data' } },
  ]
  const vm = vmWith({ template: { spec: { domain: { devices: {} }, volumes } } })
  const claims = ['web-root', 'data']
  assert.deepEqual(
    volumeSnapshotStatuses(vm, (name) => (claims.includes(name) ? { metadata: { name } } : undefined)),
    [
      { name: 'root', enabled: true },
      { name: 'data', enabled: true },
      { name: 'lost', enabled: false, reason: 'PVC not found' },
      { name: 'seed', enabled: false, reason: 'Snapshot is not supported for this volumeSource type [seed]' },
      { name: 'dump', enabled: false, reason: 'Snapshot is not supported for this volumeSource type [dump]' },
    ],
  )
})

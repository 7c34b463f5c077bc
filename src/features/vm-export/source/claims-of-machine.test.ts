import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimsOfMachine } from './claims-of-machine.ts'

test('claimsOfMachine() tells disks from dumps, which are in the status, and in the volumes of a VM from KubeVirt', () => {
  const volumes = [
    { name: 'root', dataVolume: { name: 'root' } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'again', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'seed', emptyDisk: { capacity: '1Gi' } },
    { name: 'old', memoryDump: { claimName: 'old' } },
  ]
  const spec = { template: { spec: { domain: { devices: {} }, volumes } } }
  assert.deepEqual(claimsOfMachine({ spec }), { disks: ['root', 'data'], dumps: ['old'] })
  const dumped = (claimName: string): ReturnType<typeof claimsOfMachine> =>
    claimsOfMachine({ spec, status: { memoryDumpRequest: { claimName, phase: 'Completed' } } })
  assert.deepEqual(dumped('new').dumps, ['old', 'new'])
  assert.deepEqual(dumped('old').dumps, ['old'])
  assert.deepEqual(dumped('data').dumps, ['old'])
})

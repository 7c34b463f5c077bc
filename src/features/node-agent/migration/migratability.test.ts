import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { migratability } from './migratability.ts'

function guest(spec: Partial<VirtualMachineInstanceSpec>, annotations: Record<string, string> = {}): VirtualMachineInstance {
  return { metadata: { name: 'web', annotations }, spec: { domain: { devices: {} }, ...spec } }
}

const bridged: Partial<VirtualMachineInstanceSpec> = {
  domain: { devices: { interfaces: [{ name: 'default', bridge: {} }] } },
  networks: [{ name: 'default', pod: {} }],
}
const device = (devices: VirtualMachineInstanceSpec['domain']['devices']): Partial<VirtualMachineInstanceSpec> => ({ domain: { devices } })

suite('migratability()', () => {
  const rows: readonly (readonly [string, VirtualMachineInstance, string])[] = [
    ['moves a guest without disks', guest({}), 'LiveMigration'],
    ['copies disks that a node makes', guest({ volumes: [{ name: 'd', emptyDisk: { capacity: '1Gi' } }] }), 'BlockMigration'],
    ['copies what was written over an image', guest({ volumes: [{ name: 'd', containerDisk: { image: 'i' } }] }), 'BlockMigration'],
    ['leaves a guest whose address would change', guest(bridged), 'InterfaceNotLiveMigratable'],
    ['unless its owner does not mind', guest(bridged, { 'kubevirt.io/allow-pod-bridge-network-live-migration': '' }), 'LiveMigration'],
    [
      'leaves a guest with a device of its node',
      guest(device({ hostDevices: [{ name: 'd', deviceName: 'x/y' }] })),
      'HostDeviceNotLiveMigratable',
    ],
    ['leaves a guest with a TPM', guest(device({ tpm: {} })), 'TPMNotLiveMigratable'],
    ['but not with one that is off', guest(device({ tpm: { enabled: false } })), 'LiveMigration'],
    [
      'leaves a guest with a claim',
      guest({ volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }] }),
      'DisksNotLiveMigratable',
    ],
    [
      'tells the first of several reasons, in the order of KubeVirt',
      guest({ ...bridged, volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }] }),
      'InterfaceNotLiveMigratable',
    ],
  ]
  for (const [name, vmi, expected] of rows) {
    test(name, () => {
      const { condition, method } = migratability(vmi)
      assert.equal(method ?? condition.reason, expected)
      assert.equal(condition.status, method === undefined ? 'False' : 'True')
    })
  }
})

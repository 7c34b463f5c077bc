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
function withClaim(accessModes: string[] | undefined): VirtualMachineInstance {
  const status = accessModes === undefined ? {} : { persistentVolumeClaimInfo: { claimName: 'c', accessModes } }
  const volumes = [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }]
  return { ...guest({ volumes }), status: { volumeStatus: [{ name: 'd', target: '', ...status }] } }
}

const device = (devices: VirtualMachineInstanceSpec['domain']['devices']): Partial<VirtualMachineInstanceSpec> => ({ domain: { devices } })

function domain(change: Partial<VirtualMachineInstanceSpec['domain']>, architecture?: string): VirtualMachineInstance {
  return guest({ domain: { devices: {}, ...change }, ...(architecture === undefined ? {} : { architecture }) })
}

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
    ['leaves a guest whose memory only it can read', domain({ launchSecurity: { snp: {} } }), 'SEVNotLiveMigratable'],
    ['of any maker', domain({ launchSecurity: { tdx: {} } }), 'TDXNotLiveMigratable'],
    ['and of mainframes', { ...domain({ launchSecurity: {} }, 's390x') }, 'SecureExecutionNotLiveMigratable'],
    ['leaves one that sees the host', domain({ features: { hypervPassthrough: { enabled: true } } }), 'HypervPassthroughNotLiveMigratable'],
    ["leaves one with the host's clock", domain({ cpu: { features: [{ name: 'invtsc' }] } }), 'NoTSCFrequencyNotLiveMigratable'],
    ['but not without it', domain({ cpu: { features: [{ name: 'invtsc', policy: 'disable' }] } }), 'LiveMigration'],
    ['leaves one with folders of its node', guest(device({ filesystems: [{ name: 'd', virtiofs: {} }] })), 'VirtIOFSNotLiveMigratable'],
    [
      'leaves one that has reserved a disk',
      guest(device({ disks: [{ name: 'd', lun: { reservation: true } }] })),
      'PersistentReservationNotLiveMigratable',
    ],
    ['leaves a guest whose claim one node has', withClaim(['ReadWriteOnce']), 'DisksNotLiveMigratable'],
    ['and one whose claim is not known', withClaim(undefined), 'DisksNotLiveMigratable'],
    ['copies nothing that all nodes have', withClaim(['ReadWriteOnce', 'ReadWriteMany']), 'LiveMigration'],
    [
      'leaves a guest with a disk of its node',
      guest({ volumes: [{ name: 'd', hostDisk: { path: '/d', type: 'Disk' } }] }),
      'DisksNotLiveMigratable',
    ],
    [
      'unless all nodes have that',
      guest({ volumes: [{ name: 'd', hostDisk: { path: '/d', type: 'Disk', shared: true } }] }),
      'LiveMigration',
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

  test('reports every obstacle to a storage migration', () => {
    const claim = { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }] }
    assert.equal(migratability(guest(claim)).storageCondition.status, 'True')
    const { storageCondition } = migratability(guest({ ...device({ tpm: {}, filesystems: [{ name: 'd', virtiofs: {} }] }), ...claim }))
    assert.deepEqual([storageCondition.status, storageCondition.reason], ['False', 'NotMigratable'])
    assert.match(storageCondition.message ?? '', /TPM.*; VMI uses virtiofs/)
  })
})

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
    ['migrates a guest without disks', guest({}), 'LiveMigration'],
    ['copies disks that are created on the node', guest({ volumes: [{ name: 'd', emptyDisk: { capacity: '1Gi' } }] }), 'BlockMigration'],
    ['copies the overlay of an image', guest({ volumes: [{ name: 'd', containerDisk: { image: 'i' } }] }), 'BlockMigration'],
    ['refuses a guest whose address would change', guest(bridged), 'InterfaceNotLiveMigratable'],
    ['allows it if its owner permits it', guest(bridged, { 'kubevirt.io/allow-pod-bridge-network-live-migration': '' }), 'LiveMigration'],
    [
      'refuses a guest with a device of its node',
      guest(device({ hostDevices: [{ name: 'd', deviceName: 'x/y' }] })),
      'HostDeviceNotLiveMigratable',
    ],
    ['refuses a guest with a TPM', guest(device({ tpm: {} })), 'TPMNotLiveMigratable'],
    ['allows a disabled TPM', guest(device({ tpm: { enabled: false } })), 'LiveMigration'],
    ['refuses a guest with encrypted memory', domain({ launchSecurity: { snp: {} } }), 'SEVNotLiveMigratable'],
    ['refuses a guest with TDX', domain({ launchSecurity: { tdx: {} } }), 'TDXNotLiveMigratable'],
    ['refuses a guest with Secure Execution', { ...domain({ launchSecurity: {} }, 's390x') }, 'SecureExecutionNotLiveMigratable'],
    [
      'refuses a guest that sees the host',
      domain({ features: { hypervPassthrough: { enabled: true } } }),
      'HypervPassthroughNotLiveMigratable',
    ],
    ["refuses a guest with the host's TSC", domain({ cpu: { features: [{ name: 'invtsc' }] } }), 'NoTSCFrequencyNotLiveMigratable'],
    ['allows a guest without it', domain({ cpu: { features: [{ name: 'invtsc', policy: 'disable' }] } }), 'LiveMigration'],
    [
      'refuses a guest with folders of its node',
      guest(device({ filesystems: [{ name: 'd', virtiofs: {} }] })),
      'VirtIOFSNotLiveMigratable',
    ],
    [
      'refuses a guest with a SCSI reservation',
      guest(device({ disks: [{ name: 'd', lun: { reservation: true } }] })),
      'PersistentReservationNotLiveMigratable',
    ],
    ['refuses a guest whose claim is on one node', withClaim(['ReadWriteOnce']), 'DisksNotLiveMigratable'],
    ['refuses a guest whose claim is unknown', withClaim(undefined), 'DisksNotLiveMigratable'],
    ['does not copy shared volumes', withClaim(['ReadWriteOnce', 'ReadWriteMany']), 'LiveMigration'],
    [
      'refuses a guest with a host disk',
      guest({ volumes: [{ name: 'd', hostDisk: { path: '/d', type: 'Disk' } }] }),
      'DisksNotLiveMigratable',
    ],
    [
      'allows a shared host disk',
      guest({ volumes: [{ name: 'd', hostDisk: { path: '/d', type: 'Disk', shared: true } }] }),
      'LiveMigration',
    ],
    [
      'reports the first of several reasons, in the order of KubeVirt',
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

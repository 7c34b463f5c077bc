import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { storageStatus, storageWait, type StorageStatus } from './volume-status.ts'

const byClaim: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'disk' } }
const byDataVolume: Volume = { name: 'data', dataVolume: { name: 'disk' } }

function claim(phase: string, dataVolume?: string): PersistentVolumeClaim {
  const owners = dataVolume === undefined ? [] : [{ apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', name: dataVolume, uid: 'd' }]
  return {
    metadata: { name: 'disk', namespace: 'team', ownerReferences: owners },
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    status: { phase, capacity: { storage: '2Gi' } },
  }
}

interface StorageObjects {
  readonly claim?: PersistentVolumeClaim
  readonly dataVolume?: string
}

function statusOf(volume: Volume, objects: StorageObjects): StorageStatus {
  const vmi: VirtualMachineInstance = { metadata: { name: 'web', namespace: 'team' }, spec: { domain: { devices: {} }, volumes: [volume] } }
  const dataVolume: DataVolume | undefined =
    objects.dataVolume === undefined ? undefined : { metadata: { name: 'disk' }, spec: {}, status: { phase: objects.dataVolume } }
  return storageStatus(vmi, {
    claim: (name) => (name === 'disk' ? objects.claim : undefined),
    dataVolume: (name) => (name === 'disk' ? dataVolume : undefined),
    overhead: (storageClass) => (storageClass === undefined ? 0.055 : 0.1),
  })
}

/** Expected pod creation, guest start, and wait state of the VM. */
type Expected = readonly [mayStart: boolean, isFilled: boolean, wait: ReturnType<typeof storageWait>]

const rows: readonly (readonly [string, Volume, StorageObjects, Expected])[] = [
  ['a bound claim', byClaim, { claim: claim('Bound') }, [true, true, undefined]],
  ['a missing claim', byClaim, {}, [false, false, undefined]],
  ['a claim with WaitForFirstConsumer', byClaim, { claim: claim('Pending') }, [true, true, 'unbound']],
  ['a complete DataVolume', byDataVolume, { claim: claim('Bound'), dataVolume: 'Succeeded' }, [true, true, undefined]],
  ['a complete DataVolume that was deleted', byDataVolume, { claim: claim('Bound') }, [true, true, undefined]],
  ['a DataVolume in progress', byDataVolume, { claim: claim('Bound'), dataVolume: 'ImportInProgress' }, [false, false, 'filling']],
  ['a DataVolume without a claim yet', byDataVolume, { dataVolume: 'Pending' }, [false, false, 'unbound']],
  [
    'a DataVolume that waits for a pod',
    byDataVolume,
    { claim: claim('Pending'), dataVolume: 'WaitForFirstConsumer' },
    [true, false, 'unbound'],
  ],
  ['a DataVolume that has failed', byDataVolume, { claim: claim('Bound'), dataVolume: 'Failed' }, [false, false, 'failed']],
  [
    'a claim of a DataVolume in progress',
    byClaim,
    { claim: claim('Bound', 'disk'), dataVolume: 'CloneScheduled' },
    [false, false, 'filling'],
  ],
  ['a claim of a deleted DataVolume', byClaim, { claim: claim('Bound', 'disk') }, [true, true, undefined]],
]

suite('storageStatus()', () => {
  for (const [name, volume, objects, expected] of rows) {
    test(name, () => {
      const { obstacle, isFilled, volumes } = statusOf(volume, objects)
      const vmi = { metadata: {}, spec: { domain: { devices: {} } }, status: { volumeStatus: [...volumes] } }
      assert.deepEqual([obstacle === undefined, isFilled, storageWait(vmi)], expected)
    })
  }

  test("names the missing claim with KubeVirt's reason", () => {
    const { obstacle } = statusOf(byClaim, {})
    assert.equal(obstacle?.reason, 'FailedPvcNotFound')
    assert.match(obstacle.message, /team\/disk/)
  })

  test('publishes a claim for the node agent', () => {
    assert.deepEqual(statusOf(byClaim, { claim: claim('Bound') }).volumes, [
      {
        name: 'data',
        target: '',
        persistentVolumeClaimInfo: {
          claimName: 'disk',
          accessModes: ['ReadWriteMany'],
          volumeMode: 'Filesystem',
          capacity: { storage: '2Gi' },
          requests: { storage: '1Gi' },
          filesystemOverhead: '0.055',
        },
      },
    ])
  })

  test('ignores volumes of other kinds', () => {
    assert.deepEqual(statusOf({ name: 'data', emptyDisk: { capacity: '1Gi' } }, {}).volumes, [])
  })
})

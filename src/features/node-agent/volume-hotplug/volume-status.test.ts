import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import { volumeEvents, volumesCondition, volumeStatuses } from './volume-status.ts'
import { noVolumes, type GuestVolumeState } from './volumes.ts'

function guest(phase: string, isWanted = true): VirtualMachineInstance {
  const buses = ['scsi', 'virtio', 'virtio', 'scsi']
  const disks = buses.map((bus, index) => ({ name: `d${index}`, disk: { bus } }))
  return {
    metadata: {},
    spec: {
      domain: { devices: { disks } },
      volumes: isWanted ? [{ name: 'd3', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } }] : [],
    },
    status: {
      volumeStatus: [
        { name: 'd0', target: '' },
        { name: 'd3', target: '', phase, hotplugVolume: { attachPodUID: 'u' } },
      ],
    },
  }
}

const has = (...names: readonly string[]): GuestVolumeState => ({ ...noVolumes, plugged: new Set(names), open: new Set(names) })
const refusing: GuestVolumeState = { ...noVolumes, refused: new Map([['d3', 'no port']]) }

const rows: readonly (readonly [reason: string, vmi: VirtualMachineInstance, state: GuestVolumeState, phase: string, target: string])[] = [
  ['is attached until the guest has it', guest('AttachedToNode'), noVolumes, 'AttachedToNode', ''],
  ['is ready when the guest has it', guest('AttachedToNode'), has('d3'), 'Ready', 'sdb'],
  ['is only mounted when QEMU refuses it', guest('AttachedToNode'), refusing, 'MountedToPod', ''],
  ['is ready until the guest has released it', guest('Ready', false), has('d3'), 'Ready', ''],
  ['is ready until QEMU has closed it', guest('Ready', false), { ...noVolumes, open: new Set(['d3']) }, 'Ready', ''],
  ['is unmounted when QEMU has closed it', guest('Ready', false), noVolumes, 'UnMountedFromPod', ''],
  ['stays unmounted', guest('Detaching', false), noVolumes, 'Detaching', ''],
]

suite('a hotplugged volume', () => {
  for (const [reason, vmi, state, phase, target] of rows)
    test(reason, () => {
      const [other, shown] = volumeStatuses(vmi, state, new Map([['d0', 512]])) ?? []
      assert.deepEqual(other, { name: 'd0', target: '', size: 512 })
      assert.deepEqual([shown?.phase, shown?.target], [phase, target])
    })

  test('has an event for each phase of the node agent, in KubeVirt words', () => {
    const of = (phase: string): VolumeStatus => ({ name: 'a', target: '', phase, reason: phase, message: 'm' })
    assert.deepEqual(volumeEvents([of('AttachedToNode')], [of('Ready')]), [{ reason: 'Ready', message: 'm' }])
    assert.deepEqual(volumeEvents([of('Ready')], [of('Ready')]), [])
    assert.deepEqual(volumeEvents([of('Ready')], [of('UnMountedFromPod')]), [
      { reason: 'VolumeUnplugged', message: 'Volume a has been unplugged' },
    ])
  })

  test('that is refused is named in a condition', () => {
    assert.equal(volumesCondition(noVolumes), undefined)
    assert.equal(volumesCondition(refusing)?.message, 'volume "d3": no port')
  })
})

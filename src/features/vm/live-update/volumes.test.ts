import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { syncVolumes, volumeChanges, withoutLiveVolumes } from './volumes.ts'

const hot = (name: string, claimName = name): Volume => ({ name, persistentVolumeClaim: { claimName, hotpluggable: true } })
const cold = (name: string): Volume => ({ name, persistentVolumeClaim: { claimName: name } })
const disk = (name: string, bus = 'scsi'): Disk => ({ name, disk: { bus } })
const cd = (name: string): Disk => ({ name, cdrom: { bus: 'sata' } })

type Parts = readonly [volumes: readonly Volume[], disks: readonly Disk[]]

const root: Parts = [[cold('root')], [disk('root', 'virtio')]]

function specOf([volumes, disks]: Parts): VirtualMachineInstanceSpec {
  return { volumes: [...root[0], ...volumes], domain: { devices: { disks: [...root[1], ...disks] } } }
}

function guest(parts: Parts, shown: readonly string[] = []): VirtualMachineInstance {
  return { metadata: { name: 'web' }, spec: specOf(parts), status: { volumeStatus: shown.map((name) => ({ name, target: '' })) } }
}

interface Row {
  readonly reason: string
  readonly vmi: VirtualMachineInstance
  readonly wanted: Parts
  readonly expected: Parts
}

const one: Parts = [[hot('one')], [disk('one')]]
const none: Parts = [[], []]

const rows: readonly Row[] = [
  { reason: 'plugs a new one', vmi: guest(none), wanted: one, expected: one },
  { reason: 'unplugs one that the VM has no more', vmi: guest(one, ['one']), wanted: none, expected: none },
  { reason: 'keeps the disk of a volume whose disk alone was removed', vmi: guest(one), wanted: [[hot('one')], []], expected: one },
  { reason: 'plugs none that is not hotpluggable', vmi: guest(none), wanted: [[cold('one')], [disk('one')]], expected: none },
  {
    reason: 'unplugs one whose claim has changed first',
    vmi: guest(one, ['one']),
    wanted: [[hot('one', 'other')], [disk('one')]],
    expected: none,
  },
  {
    reason: 'waits until the old one is gone',
    vmi: guest(none, ['one']),
    wanted: [[hot('one', 'other')], [disk('one')]],
    expected: none,
  },
  {
    reason: 'plugs the other one afterwards',
    vmi: guest(none),
    wanted: [[hot('one', 'other')], [disk('one')]],
    expected: [[hot('one', 'other')], [disk('one')]],
  },
  { reason: 'ejects a medium', vmi: guest([[hot('cd')], [cd('cd')]], ['cd']), wanted: [[], [cd('cd')]], expected: [[], [cd('cd')]] },
  { reason: 'inserts a medium', vmi: guest([[], [cd('cd')]]), wanted: [[hot('cd')], [cd('cd')]], expected: [[hot('cd')], [cd('cd')]] },
  {
    reason: 'keeps the drive while its medium changes',
    vmi: guest([[hot('cd')], [cd('cd')]], ['cd']),
    wanted: [[hot('cd', 'other')], [cd('cd')]],
    expected: [[], [cd('cd')]],
  },
  {
    reason: 'keeps the order',
    vmi: guest(one),
    wanted: [
      [hot('two'), hot('one')],
      [disk('two'), disk('one')],
    ],
    expected: [
      [hot('one'), hot('two')],
      [disk('one'), disk('two')],
    ],
  },
]

suite('syncVolumes()', () => {
  for (const { reason, vmi, wanted, expected } of rows)
    test(reason, () => {
      const { volumes, disks } = syncVolumes(vmi, specOf(wanted))
      assert.deepEqual([volumes, disks], [specOf(expected).volumes, specOf(expected).domain.devices.disks])
      const isSame = semanticEqual(volumes, vmi.spec.volumes)
      assert.equal(volumeChanges(vmi, specOf(wanted)).length === 0, isSame)
    })
})

/** Started, live and wanted volumes, and whether the guest has to be restarted. */
const restarts: readonly (readonly [reason: string, started: Parts, live: Parts, wanted: Parts, isRestart: boolean])[] = [
  ['no restart to plug one', none, none, one, false],
  ['no restart to unplug one that was there from the start', one, one, none, false],
  ['no restart after it was plugged', none, one, one, false],
  ['no restart to change the claim', one, one, [[hot('one', 'other')], [disk('one')]], false],
  ['no restart to eject and insert', [[hot('cd')], [cd('cd')]], [[hot('cd')], [cd('cd')]], [[], [cd('cd')]], false],
  ['a restart for a volume that is not hotpluggable', none, none, [[cold('one')], [disk('one')]], true],
  ['a restart to make one hotpluggable', [[cold('one')], [disk('one')]], [[cold('one')], [disk('one')]], one, true],
  ['a restart for another bus', one, one, [[hot('one')], [disk('one', 'virtio')]], true],
  ['a restart for a bus that QEMU cannot plug', none, none, [[hot('one')], [disk('one', 'sata')]], true],
  ['a restart for a new drive', none, none, [[hot('cd')], [cd('cd')]], true],
  ['a restart to remove a drive', [[hot('cd')], [cd('cd')]], [[hot('cd')], [cd('cd')]], none, true],
]

suite('withoutLiveVolumes() leaves', () => {
  for (const [reason, started, live, wanted, isRestart] of restarts)
    test(reason, () => {
      const [before, after] = withoutLiveVolumes(specOf(started), guest(live), specOf(wanted))
      assert.equal(!semanticEqual(before, after), isRestart)
    })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import {
  decideVolumes,
  newScsiBus,
  requestedVolumes,
  type ObservedVolumes,
  type RequestedVolume,
  type VolumeDecision,
} from './requested-volumes.ts'

function wish(name: string, device: Partial<Disk> = { disk: { bus: 'virtio' } }, isAttached = true): RequestedVolume {
  const volume = { name, persistentVolumeClaim: { claimName: name, hotpluggable: true } }
  return { name, volume, disk: { name, ...device }, ...(isAttached ? { podUid: `pod-${name}` } : {}) }
}

const scsi = (name: string): RequestedVolume => wish(name, { disk: { bus: 'scsi' } })
const cd = (name: string): RequestedVolume => wish(name, { cdrom: { bus: 'scsi' } })

type Observation = Omit<Partial<ObservedVolumes>, 'plugged'> & { readonly plugged?: Partial<ObservedVolumes['plugged']> }

function decided(requested: readonly RequestedVolume[], { plugged, ...observed }: Observation = {}): object {
  const nothing = { disks: [], open: new Map(), media: new Map() }
  const decision = decideVolumes(requested, {
    plugged: { ...nothing, ...plugged },
    drives: new Set(),
    freePorts: [1, 2],
    scsiIds: new Set(),
    isMoving: false,
    ...observed,
  })
  return summary(decision)
}

/** Without what is empty. */
function summary({ plug, insert, refused, controllerPort, ...names }: VolumeDecision): object {
  const all = {
    plug: plug.map(({ volume, place }) => [volume.name, 'port' in place ? place.port : `${place.scsiBus}:${place.scsiId}`]),
    insert: insert.map(({ name }) => name),
    ...names,
    refused: [...refused.keys()],
  }
  const kept = Object.entries(all).filter(([, list]) => Array.isArray(list) && list.length > 0)
  return { ...Object.fromEntries(kept), ...(controllerPort === undefined ? {} : { controllerPort }) }
}

const onPort = (name: string, port = 0): ObservedVolumes['plugged']['disks'][number] => ({ name, place: { port } })
const open = (...names: readonly string[]): ReadonlyMap<string, { bytes: number }> => new Map(names.map((name) => [name, { bytes: 1 }]))

const rows: readonly (readonly [reason: string, decision: object, expected: object])[] = [
  ['does nothing for a guest without volumes', decided([]), {}],
  [
    'plugs into the lowest free port',
    decided([wish('a'), wish('b')]),
    {
      plug: [
        ['a', 1],
        ['b', 2],
      ],
    },
  ],
  [
    'refuses what has no port',
    decided([wish('a'), wish('b'), wish('c')]),
    {
      plug: [
        ['a', 1],
        ['b', 2],
      ],
      refused: ['c'],
    },
  ],
  ['waits for the pod of a volume', decided([wish('a', { disk: { bus: 'virtio' } }, false)]), {}],
  ['leaves what is there', decided([wish('a')], { plugged: { disks: [onPort('a')], open: open('a') } }), {}],
  ['shows what a killed agent has only opened', decided([wish('a')], { plugged: { open: open('a') } }), { plug: [['a', 1]] }],
  ['asks the guest to release what is not wanted', decided([], { plugged: { disks: [onPort('a')], open: open('a') } }), { unplug: ['a'] }],
  [
    'closes what was opened for another claim first',
    decided([wish('a')], { plugged: { open: new Map([['a', { source: 'other' }]]) } }),
    { close: ['a'] },
  ],
  [
    'asks the guest to release the disk of another claim first',
    decided([wish('a')], { plugged: { disks: [onPort('a')], open: new Map([['a', { source: 'other', bytes: 1 }]]) } }),
    { unplug: ['a'] },
  ],
  [
    'leaves what was opened for its claim',
    decided([wish('a')], { plugged: { disks: [onPort('a')], open: new Map([['a', { source: 'a' }]]) } }),
    {},
  ],
  ['closes what was released', decided([], { plugged: { open: open('a') } }), { close: ['a'] }],
  [
    'plugs one SCSI controller for all disks',
    decided([scsi('a'), scsi('b'), wish('c')]),
    {
      plug: [
        ['a', `${newScsiBus}:0`],
        ['b', `${newScsiBus}:1`],
        ['c', 2],
      ],
      controllerPort: 1,
    },
  ],
  [
    'uses the SCSI controller that is there, and its free ids',
    decided([scsi('a'), scsi('b')], { freePorts: [], plugged: { scsiBus: 'scsi0.0' }, scsiIds: new Set([0, 2]) }),
    {
      plug: [
        ['a', 'scsi0.0:1'],
        ['b', 'scsi0.0:3'],
      ],
    },
  ],
  ['refuses SCSI disks without a port for the controller', decided([scsi('a')], { freePorts: [] }), { refused: ['a'] }],
  ['inserts a medium', decided([cd('a')], { drives: new Set(['a']) }), { insert: ['a'] }],
  ['refuses a medium without a drive', decided([cd('a')]), { refused: ['a'] }],
  ['leaves a medium', decided([cd('a')], { drives: new Set(['a']), plugged: { media: new Map([['a', 'a']]), open: open('a') } }), {}],
  [
    'ejects a medium',
    decided([], { drives: new Set(['a']), plugged: { media: new Map([['a', 'a']]), open: open('a') } }),
    { eject: ['a'] },
  ],
  [
    'changes nothing of a guest that is being moved',
    decided([wish('a')], { isMoving: true, plugged: { disks: [onPort('b')], open: open('b', 'c') } }),
    { refused: ['a', 'b'] },
  ],
]

suite('decideVolumes()', () => {
  for (const [reason, decision, expected] of rows) test(reason, () => assert.deepEqual(decision, expected))
})

test('requestedVolumes() leaves out volumes that cannot be plugged, or that the guest was started with', () => {
  const hot = (name: string): object => ({ name, persistentVolumeClaim: { claimName: name, hotpluggable: true } })
  const vmi = {
    metadata: {},
    spec: {
      volumes: [{ name: 'fixed', emptyDisk: { capacity: '1Gi' } }, hot('started'), hot('hot'), hot('hidden')],
      domain: { devices: { disks: ['fixed', 'started', 'hot'].map((name) => ({ name, disk: { bus: 'virtio' } })) } },
    },
    status: { volumeStatus: [{ name: 'hot', target: '', hotplugVolume: { attachPodUID: 'u' } }] },
  } as unknown
  const found = requestedVolumes(vmi as VirtualMachineInstance, [{ name: 'fixed' }, { name: 'started' }])
  assert.deepEqual(
    found.map(({ name, podUid }) => [name, podUid]),
    [['hot', 'u']],
  )
})

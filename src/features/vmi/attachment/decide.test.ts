import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VolumeStatus } from '#api/kubevirt/v1/volume-status.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ClaimLook } from '../storage/volume-status.ts'
import { attachmentPodOf, isSamePod } from './attachment-pod.ts'
import { decideAttachments, type AttachmentDecision } from './decide.ts'

const data: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'disk', hotpluggable: true } }
const fixed: Volume = { name: 'root', persistentVolumeClaim: { claimName: 'root' } }
const info = { claimName: 'disk', volumeMode: 'Filesystem' }
const filled: ClaimLook = {
  status: { name: 'data', target: '', persistentVolumeClaimInfo: info },
  mayStart: true,
  isFilled: true,
  hasDataVolume: false,
}
const filling: ClaimLook = {
  ...filled,
  status: { ...filled.status, phase: 'Pending', reason: 'WaitForFirstConsumer', message: 'DataVolume ns/disk is WaitForFirstConsumer' },
  isFilled: false,
}
const missing: ClaimLook = {
  status: { name: 'data', target: '', phase: 'Pending', reason: 'FailedPvcNotFound', message: 'no claim' },
  mayStart: false,
  isFilled: false,
  hasDataVolume: false,
}

function guest(volumes: readonly Volume[], statuses: readonly VolumeStatus[] = [], deletionTimestamp?: string): VirtualMachineInstance {
  return {
    metadata: { name: 'web', namespace: 'ns', uid: 'vmi', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { domain: { devices: { disks: [{ name: 'data', disk: { bus: 'scsi' } }] } }, volumes: [...volumes] },
    status: { phase: 'Running', volumeStatus: [...statuses] },
  }
}

type Phase = NonNullable<NonNullable<Pod['status']>['phase']>

function launcher(uid: string, change: { phase?: Phase; nodeName?: string; deletionTimestamp?: string; mounts?: string } = {}): Pod {
  const { phase = 'Running', nodeName = 'n1', deletionTimestamp, mounts } = change
  return {
    metadata: { name: `launcher-${uid}`, uid, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { nodeName, containers: [], volumes: mounts === undefined ? [] : [{ name: mounts }] },
    status: { phase },
  }
}

const options = { image: 'launcher:v1', inContainer: true, isBlock: false }

function attachment(of: Pod, phase: Phase = 'Running', volume = data): Pod {
  const pod = attachmentPodOf(guest([volume]), of, volume, options)
  return { ...pod, metadata: { ...pod.metadata, uid: `att-${of.metadata.uid ?? ''}` }, status: { phase } }
}

const here = launcher('one')
const own = attachment(here)
const status = (phase: string, uid = 'att-one'): VolumeStatus => ({
  name: 'data',
  target: '',
  phase,
  persistentVolumeClaimInfo: info,
  hotplugVolume: { attachPodName: own.metadata.name ?? '', attachPodUID: uid },
})

const dump: Volume = { name: 'data', memoryDump: { claimName: 'disk', hotpluggable: true } }
const ofDump = { memoryDumpVolume: { claimName: 'disk' } }

interface Row {
  readonly reason: string
  readonly vmi?: VirtualMachineInstance
  readonly launchers?: readonly Pod[]
  readonly attachments?: readonly Pod[]
  readonly look?: ClaimLook
  /** Pods to create, by launcher; pods to delete, by UID; the phase, and the pod handed over. */
  readonly expected: {
    readonly create?: readonly string[]
    readonly delete?: readonly string[]
    readonly phase?: string | undefined
    readonly podUid?: string
    readonly targets?: Readonly<Record<string, string>>
    readonly isComplete?: boolean
  }
}

const rows: readonly Row[] = [
  { reason: 'attaches a volume', expected: { create: ['one'], phase: 'Bound' } },
  { reason: 'waits for a claim', look: missing, expected: { phase: 'Pending' } },
  { reason: 'is the first consumer of a claim that is being filled', look: filling, expected: { create: ['one'], phase: 'Pending' } },
  {
    reason: 'does not hand over what is not filled',
    look: filling,
    attachments: [own],
    expected: { phase: 'Pending', isComplete: true },
  },
  {
    reason: 'shows a pod that does not run yet',
    attachments: [attachment(here, 'Pending')],
    expected: { phase: 'AttachedToNode' },
  },
  { reason: 'hands over what is attached', attachments: [own], expected: { phase: 'AttachedToNode', podUid: 'att-one', isComplete: true } },
  {
    reason: 'leaves the phases of the node agent alone',
    vmi: guest([data], [status('Ready')]),
    attachments: [own],
    expected: { phase: 'Ready', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'replaces a pod that is gone while the guest uses the volume',
    vmi: guest([data], [status('Ready')]),
    expected: { create: ['one'], phase: 'Ready', podUid: 'att-one' },
  },
  {
    reason: 'deletes a pod that has ended',
    attachments: [attachment(here, 'Failed')],
    expected: { delete: ['att-one'], phase: 'AttachedToNode' },
  },
  {
    reason: 'keeps the pod of a removed volume that the guest uses',
    vmi: guest([], [status('Ready')]),
    attachments: [own],
    expected: { phase: 'Ready', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'deletes the pod of a removed volume that the guest has released',
    vmi: guest([], [status('UnMountedFromPod')]),
    attachments: [own],
    expected: { delete: ['att-one'], phase: 'Detaching', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'forgets a removed volume whose pod is gone',
    vmi: guest([], [status('Detaching')]),
    expected: { isComplete: true },
  },
  {
    reason: 'attaches to the target of a migration, too',
    vmi: guest([data], [status('Ready')]),
    launchers: [here, launcher('two', { nodeName: 'n2' })],
    attachments: [own],
    expected: { create: ['two'], phase: 'Ready', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'names the pods at the target',
    vmi: guest([data], [status('Ready')]),
    launchers: [here, launcher('two', { nodeName: 'n2' })],
    attachments: [own, attachment(launcher('two'))],
    expected: { phase: 'Ready', podUid: 'att-one', isComplete: true, targets: { data: 'att-two' } },
  },
  {
    reason: 'deletes the pods of a launcher that has ended',
    vmi: guest([data], [status('Ready')]),
    launchers: [launcher('one', { phase: 'Succeeded' })],
    attachments: [own],
    expected: { delete: ['att-one'], phase: 'Ready', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'keeps the pods of a guest that shuts down',
    vmi: guest([data], [status('Ready')], '2026-01-01T00:00:00Z'),
    launchers: [launcher('one', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
    attachments: [own],
    expected: { phase: 'Ready', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'attaches nothing for a guest that is deleted',
    vmi: guest([data], [], '2026-01-01T00:00:00Z'),
    expected: { phase: 'Bound' },
  },
  {
    reason: 'leaves a volume to the launcher of an earlier release that mounts it',
    launchers: [launcher('one', { mounts: 'disk-data' })],
    expected: { isComplete: true },
  },
  { reason: 'attaches the claim of a dump, which has no disk', vmi: guest([dump]), expected: { create: ['one'], phase: 'Bound' } },
  {
    reason: 'attaches the claim of a dump to no target of a migration',
    vmi: guest([dump], [{ ...status('AttachedToNode'), ...ofDump }]),
    launchers: [here, launcher('two', { nodeName: 'n2' })],
    attachments: [own],
    expected: { phase: 'AttachedToNode', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'leaves a dump to the node agent',
    vmi: guest([dump], [{ ...status('MemoryDumpInProgress'), ...ofDump }]),
    attachments: [own],
    expected: { phase: 'MemoryDumpInProgress', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'keeps the result of a dump',
    vmi: guest([dump], [{ ...status('MemoryDumpFailed'), ...ofDump }]),
    attachments: [own],
    expected: { phase: 'MemoryDumpFailed', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'keeps the pod of a removed dump that QEMU writes',
    vmi: guest([], [{ ...status('MemoryDumpInProgress'), ...ofDump }]),
    attachments: [own],
    expected: { phase: 'MemoryDumpInProgress', podUid: 'att-one', isComplete: true },
  },
  {
    reason: 'deletes the pod of a removed dump that is complete',
    vmi: guest([], [{ ...status('MemoryDumpCompleted'), ...ofDump }]),
    attachments: [own],
    expected: { delete: ['att-one'], phase: 'Detaching', podUid: 'att-one', isComplete: true },
  },
  { reason: 'leaves volumes that are not hotpluggable', vmi: guest([fixed]), expected: { isComplete: true } },
  { reason: 'waits for the node of the launcher', launchers: [{ ...here, spec: { containers: [] } }], expected: { phase: 'Bound' } },
]

function summary({ create, delete: doomed, volumes, targetVolumes, isComplete }: AttachmentDecision): Row['expected'] {
  return {
    create: create.map(({ launcher: of }) => of.metadata.uid ?? ''),
    delete: doomed.map(({ metadata }) => metadata.uid ?? ''),
    phase: volumes[0]?.phase,
    ...(volumes[0]?.hotplugVolume?.attachPodUID === undefined ? {} : { podUid: volumes[0].hotplugVolume.attachPodUID }),
    targets: targetVolumes,
    isComplete,
  }
}

suite('decideAttachments()', () => {
  for (const { reason, vmi = guest([data]), launchers = [here], attachments = [], look = filled, expected } of rows)
    test(reason, () => {
      const decision = decideAttachments({ vmi, launchers, active: launchers[0], attachments, claims: new Map([['data', look]]) })
      assert.deepEqual(summary(decision), { create: [], delete: [], phase: undefined, targets: {}, isComplete: false, ...expected })
    })
})

suite('attachmentPodOf()', () => {
  test('has one name for each launcher, volume and claim', () => {
    const volumes = [data, { ...data, name: 'other' }, { name: 'data', dataVolume: { name: 'new', hotpluggable: true } }]
    const names = [here, launcher('two')].flatMap((of) =>
      volumes.map((volume) => attachmentPodOf(guest([volume]), of, volume, options).metadata.name),
    )
    assert.equal(new Set(names).size, names.length)
    assert.equal(attachmentPodOf(guest([data]), here, data, options).metadata.name, names[0])
  })

  test('is not taken for a pod that leads to other files', () => {
    assert.ok(isSamePod({ ...own, spec: { ...own.spec, nodeName: 'n1' } }, own))
    const [container] = own.spec.containers
    assert.ok(container !== undefined)
    const { securityContext: _, ...unprotected } = container
    const others: readonly Partial<Pod['spec']>[] = [
      { containers: [{ ...container, image: 'mine' }] },
      { containers: [{ ...container, command: ['sh'] }] },
      { containers: [container, container] },
      { containers: [unprotected] },
      { containers: [{ ...container, volumeMounts: [{ name: 'mine', mountPath: '/run' }] }] },
      { initContainers: [container] },
      { volumes: [{ name: 'disk-data', persistentVolumeClaim: { claimName: 'mine' } }] },
    ]
    for (const change of others) assert.ok(!isSamePod({ ...own, spec: { ...own.spec, ...change } }, own), JSON.stringify(change))
    assert.ok(!isSamePod(attachment(launcher('two')), own))
  })
})

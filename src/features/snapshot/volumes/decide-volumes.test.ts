import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'

import type { Pod, PodPhase } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VolumeSnapshot, VolumeSnapshotStatus } from '#api/snapshot-storage/v1/volume-snapshot.ts'
import { decideVolumes, type BackupLook, type ObservedVolumes, type VolumeStep } from './decide-volumes.ts'

const backup = (volumeName: string): BackupLook['backup'] => ({
  volumeName,
  persistentVolumeClaim: { metadata: { name: volumeName }, spec: { volumeMode: 'Filesystem' } },
  steadyvm: { copyClaimName: `copy-${volumeName}` },
})
const guest = (status: VirtualMachineInstanceStatus = {}, uid = 'guest'): VirtualMachineInstance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'web', uid },
  spec: { domain: { devices: {} } },
  status: { phase: 'Running', ...status },
})
const pod = (phase: PodPhase, name = 'pod'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: `uid-${name}` },
  spec: { containers: [] },
  status: { phase },
})
const launcher = pod('Running', 'launcher')
const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'copy' }, spec: {} } as const
const filled = (phase: string, status: DataVolume['status'] = {}): DataVolume => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'copy' },
  spec: {},
  status: { phase, ...status },
})
const request = (disks: readonly string[]): NonNullable<NonNullable<VirtualMachineInstanceStatus['steadyvm']>['diskCopy']> => ({
  id: 'one',
  snapshotName: 'snap',
  disks: disks.map((volume) => ({ volume, claimName: `copy-${volume}`, volumeMode: 'Filesystem', podUid: `uid-${volume}` })),
})
const copying = (state: object): VirtualMachineInstanceStatus => ({
  steadyvm: { diskCopy: request(['a', 'b']), diskCopyState: { id: 'one', phase: 'Copying', ...state } },
})
const halted: ObservedVolumes = {
  id: 'one',
  snapshotName: 'snap',
  guestUid: undefined,
  vmi: undefined,
  launcher: undefined,
  looks: [{ backup: backup('a') }, { backup: backup('b') }],
}
const running: ObservedVolumes = { ...halted, guestUid: 'guest', vmi: guest(), launcher }
const withClaims = halted.looks.map((look) => ({ ...look, claim }))
const withPods = withClaims.map((look) => ({ ...look, pod: pod('Running', look.backup.volumeName) }))
const bySnapshot = (...statuses: readonly (VolumeSnapshotStatus | undefined)[]): BackupLook[] =>
  statuses.map((status, index) => {
    const { steadyvm: _, ...plain } = backup(`v${index}`)
    const volumeSnapshot: VolumeSnapshot = {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name: `s${index}` },
      spec: { source: {} },
      ...(status === undefined ? {} : { status }),
    }
    return { backup: { ...plain, volumeSnapshotName: `s${index}` }, ...(status === undefined ? {} : { volumeSnapshot }) }
  })
const creationTime = '2026-01-01T00:00:00Z'

const rows: readonly {
  readonly reason: string
  readonly kind: VolumeStep['kind']
  readonly observed: ObservedVolumes
  /** Part of the step. */
  readonly has?: object
}[] = [
  { kind: 'createDataVolumes', reason: 'no guest runs', observed: halted },
  {
    kind: 'createDataVolumes',
    reason: 'one is missing',
    observed: { ...halted, looks: [{ backup: backup('a'), dataVolume: filled('Succeeded') }, { backup: backup('b') }] },
    has: { backups: [backup('b')] },
  },
  {
    kind: 'wait',
    reason: 'a worker copies',
    observed: { ...halted, looks: [{ backup: backup('a'), dataVolume: filled('CloneInProgress', { progress: '40.00%' }) }] },
    has: { why: 'Copying volume "a": CloneInProgress 40.00%' },
  },
  {
    kind: 'fail',
    reason: 'a worker cannot copy',
    observed: {
      ...halted,
      looks: [
        { backup: backup('a'), dataVolume: filled('Failed', { conditions: [{ type: 'Running', status: 'False', message: 'No space' }] }) },
      ],
    },
    has: { why: 'The copy of volume "a" has failed: No space' },
  },
  {
    kind: 'complete',
    reason: 'all workers have succeeded',
    observed: { ...halted, looks: [{ backup: backup('a'), dataVolume: filled('Succeeded') }] },
    has: { taken: {} },
  },
  { kind: 'fail', reason: 'a guest starts beside a worker', observed: { ...halted, vmi: guest() } },
  {
    kind: 'createTargets',
    reason: 'a guest runs',
    observed: running,
    has: { claims: [backup('a'), backup('b')], pods: [backup('a'), backup('b')] },
  },
  {
    kind: 'createTargets',
    reason: 'there are claims',
    observed: { ...running, looks: withClaims },
    has: { claims: [], pods: [backup('a'), backup('b')] },
  },
  { kind: 'wait', reason: 'the launcher is not known', observed: { ...running, looks: withClaims, launcher: undefined } },
  {
    kind: 'wait',
    reason: 'a pod does not run yet',
    observed: { ...running, looks: [...withPods.slice(0, 1), { ...withClaims[1], backup: backup('b'), pod: pod('Pending') }] },
    has: { why: 'Waiting for claim "copy-b" to be attached to the node of the guest' },
  },
  {
    kind: 'fail',
    reason: 'a pod has ended',
    observed: { ...running, looks: [{ backup: backup('a'), claim, pod: pod('Failed') }] },
  },
  { kind: 'request', reason: 'all pods run', observed: { ...running, looks: withPods }, has: { request: request(['a', 'b']) } },
  {
    kind: 'wait',
    reason: 'the guest is being moved',
    observed: { ...running, looks: withPods, vmi: guest({ migrationState: { migrationUid: 'm' } }) },
    has: { why: 'Waiting for the migration of the guest to end' },
  },
  {
    kind: 'wait',
    reason: 'another snapshot is not withdrawn yet',
    observed: { ...running, looks: withPods, vmi: guest({ steadyvm: { diskCopy: { ...request([]), id: 'two', snapshotName: 'other' } } }) },
    has: { why: 'The volumes are being copied for VirtualMachineSnapshot "other"' },
  },
  {
    kind: 'wait',
    reason: 'QEMU copies',
    observed: { ...running, looks: withPods, vmi: guest(copying({ percent: 40 })) },
    has: { why: 'Copying volumes: 40 %' },
  },
  {
    kind: 'fail',
    reason: 'QEMU has failed',
    observed: { ...running, looks: withPods, vmi: guest(copying({ phase: 'Failed', message: 'Disk full' })) },
    has: { why: 'Disk full' },
  },
  {
    kind: 'complete',
    reason: 'QEMU has copied all',
    observed: { ...running, looks: withPods, vmi: guest(copying({ phase: 'Complete', startTime: creationTime, quiesce: 'GuestAgent' })) },
    has: { taken: { creationTime, quiesce: 'GuestAgent' } },
  },
  {
    kind: 'fail',
    reason: 'the guest has ended',
    observed: { ...running, looks: withPods, vmi: guest({ ...copying({}), phase: 'Failed' }) },
  },
  { kind: 'fail', reason: 'the guest is another one', observed: { ...running, looks: withPods, vmi: guest({}, 'next') } },
  { kind: 'fail', reason: 'the guest is gone', observed: { ...running, looks: withPods, vmi: undefined } },
  { kind: 'createVolumeSnapshots', reason: 'drivers take them', observed: { ...halted, looks: bySnapshot(undefined, undefined) } },
  {
    kind: 'request',
    reason: 'drivers take them of a guest that runs',
    observed: { ...running, looks: bySnapshot(undefined) },
    has: { request: request([]) },
  },
  {
    kind: 'createVolumeSnapshots',
    reason: 'the guest holds back its writes',
    observed: { ...running, looks: bySnapshot(undefined), vmi: guest(copying({ phase: 'Held' })) },
  },
  {
    kind: 'wait',
    reason: 'a snapshot is not taken',
    observed: { ...running, looks: bySnapshot({ error: { message: 'No driver' } }), vmi: guest(copying({ phase: 'Held' })) },
    has: { why: 'No driver', isPolled: true },
  },
  {
    kind: 'thaw',
    reason: 'all snapshots are taken',
    observed: { ...running, looks: bySnapshot({ creationTime }), vmi: guest(copying({ phase: 'Held', quiesce: 'GuestAgent' })) },
  },
  { kind: 'wait', reason: 'a snapshot is not ready', observed: { ...running, looks: bySnapshot({ creationTime }) } },
  {
    kind: 'complete',
    reason: 'all snapshots are ready',
    observed: { ...running, looks: bySnapshot({ creationTime, readyToUse: true }) },
    has: { taken: { creationTime, volumeSnapshotStatus: [{ volumeSnapshotName: 's0', creationTime, readyToUse: true }] } },
  },
]

suite('decideVolumes()', () => {
  for (const { reason, kind, observed, has = {} } of rows) {
    test(`${kind}: ${reason}`, () => {
      const step = decideVolumes(observed)
      assert.equal(step.kind, kind, JSON.stringify(step))
      assert.deepEqual({ ...step, ...has }, step)
    })
  }
})

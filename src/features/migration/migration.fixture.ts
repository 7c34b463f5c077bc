import type { Pod, PodStatus } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import { migrationFinalizer, vmiNameLabel } from './decide.ts'

/** A migration with finalizer and label, as after the first pass. */
export function migrationOf(change: Partial<VirtualMachineInstanceMigration> = {}): VirtualMachineInstanceMigration {
  const { metadata, ...more } = change
  return deepFreeze({
    metadata: { name: 'm', namespace: 'n', uid: 'm1', labels: { [vmiNameLabel]: 'web' }, finalizers: [migrationFinalizer], ...metadata },
    spec: { vmiName: 'web' },
    ...more,
  })
}

/** A guest that runs on node `a`. */
export function guestOf(status: VirtualMachineInstanceStatus = {}): VirtualMachineInstance {
  return deepFreeze({
    metadata: { name: 'web', namespace: 'n', uid: 'v1' },
    spec: { domain: { devices: {} } },
    status: { phase: 'Running', nodeName: 'a', conditions: [{ type: 'LiveMigratable', status: 'True' }], ...status },
  } satisfies VirtualMachineInstance)
}

/** The target pod. */
export function targetPod(status: PodStatus): Pod {
  return deepFreeze({
    metadata: { name: 't', uid: 'p2', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { containers: [], nodeName: 'b' },
    status,
  } satisfies Pod)
}

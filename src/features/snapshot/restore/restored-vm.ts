import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { SnapshotVirtualMachine } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { applyJsonPatch, type JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import { restoringAnnotation } from '#features/vm/index.ts'
import { lastRestoreAnnotation, restoreMark } from '../names.ts'
import { withRestoredVolumes, type RestoredVolume } from './volumes/restored-volumes.ts'

/**
 * Returns the restored spec of an existing VM. The run strategy is kept: it is not part of the
 * state of the VM.
 */
export function restoredSpec(
  { spec: current }: VirtualMachine,
  source: SnapshotVirtualMachine,
  volumes: readonly RestoredVolume[],
): VirtualMachineSpec {
  const { running: _running, runStrategy: _runStrategy, ...spec } = withRestoredVolumes(unpinned(source), volumes)
  const { running, runStrategy } = current
  return { ...spec, ...(running === undefined ? {} : { running }), ...(runStrategy === undefined ? {} : { runStrategy }) }
}

/**
 * Returns the VM to create when none exists: halted, and annotated until it has its hardware.
 * @throws JsonPatchError
 */
export function newVirtualMachine(
  restore: VirtualMachineRestore,
  source: SnapshotVirtualMachine,
  volumes: readonly RestoredVolume[],
): VirtualMachine {
  const { labels, annotations } = source.metadata ?? {}
  const { running: _running, runStrategy: _runStrategy, ...spec } = withRestoredVolumes(unpinned(source), volumes)
  const base: VirtualMachine = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { labels: labels ?? {}, annotations: annotations ?? {} },
    spec: { ...spec, runStrategy: 'Halted' },
  }
  const patched = (restore.spec.patches ?? []).reduce<VirtualMachine>((vm, patch) => applyOne(vm, patch), base)
  return {
    ...patched,
    metadata: {
      ...patched.metadata,
      name: restore.spec.target.name,
      namespace: restore.metadata.namespace ?? '',
      annotations: {
        ...patched.metadata.annotations,
        [lastRestoreAnnotation]: restoreMark(restore),
        [restoringAnnotation]: restore.metadata.name ?? '',
      },
    },
  }
}

function applyOne(vm: VirtualMachine, patch: string): VirtualMachine {
  const operations = JSON.parse(patch) as JsonPatchOperation | JsonPatchOperation[]
  return applyJsonPatch(vm, [operations].flat()) as VirtualMachine
}

/**
 * Removes the names of the snapshot's copies. The VM's revisions are named in its status, as for
 * any VM: applying the VM's manifest again would remove a name in the spec, which requests the
 * newest generation.
 */
function unpinned({ spec }: SnapshotVirtualMachine): VirtualMachineSpec {
  const { instancetype, preference, ...rest } = spec ?? { template: { spec: { domain: { devices: {} } } } }
  return {
    ...rest,
    ...(instancetype === undefined ? {} : { instancetype: withoutRevision(instancetype) }),
    ...(preference === undefined ? {} : { preference: withoutRevision(preference) }),
  }
}

/** A matcher as the user would write it. */
export function withoutRevision<T extends { readonly revisionName?: string }>(matcher: T): Omit<T, 'revisionName'> {
  const { revisionName: _, ...rest } = matcher
  return rest
}

import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { InstancetypeStatusRef, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { SnapshotVirtualMachine, VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isNotFound, StatusError } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import {
  CaptureFailed,
  RevisionUndecodable,
  findMatchedObjects,
  revisionFormatOf,
  updateHistory,
  holderOf,
  refreshAnnotation,
  type Family,
} from '#features/instancetype/index.ts'
import { historyLimitOf, restoringAnnotation } from '#features/vm/index.ts'
import { pin } from '../capture/capture.ts'
import { copiedObject } from '../capture/copied-object.ts'
import type { Ports } from '../ports.ts'
import { withoutRevision } from './restored-vm.ts'

/**
 * Stores the VM's own copies of the snapshot's revisions, whether the VM has had them before or
 * not, and unlocks the VM in the write that names them. A patched instance type is left to the VM
 * controller. @throws CaptureFailed
 */
export async function pinHardware(ports: Ports, vm: VirtualMachine, content: VirtualMachineSnapshotContent): Promise<void> {
  const source = content.spec.source.virtualMachine ?? {}
  const names = await store(ports, vm, source)
  const freed = await found(patchStatus(ports.client, virtualMachines, vm, statusOf(ports, vm, names)))
  if (freed?.metadata.annotations?.[restoringAnnotation] === undefined) return
  await found(patchIfUnchanged(ports.client, virtualMachines, freed, { metadata: { annotations: { [restoringAnnotation]: null } } }))
}

type Names = Partial<Record<Family, string>>
const families = ['instancetype', 'preference'] as const

async function store(ports: Ports, vm: VirtualMachine, source: SnapshotVirtualMachine): Promise<Names> {
  const taken = families.filter((family) => isTaken(vm, source, family))
  if (taken.length === 0 || source.spec === undefined) return {}
  const { instancetype, preference, ...rest } = source.spec
  const matchers = { ...(instancetype === undefined ? {} : { instancetype }), ...(preference === undefined ? {} : { preference }) }
  const wanted = Object.fromEntries(Object.entries(matchers).filter(([family]) => taken.includes(family as Family)))
  const namespace = vm.metadata.namespace ?? ''
  const inForce = await findMatchedObjects(ports.lookup, {
    metadata: { ...source.metadata, namespace },
    spec: { ...rest, ...wanted },
  }).catch(explain)
  const names: Names = {}
  for (const family of taken) {
    const taken = inForce[family]
    if (taken !== undefined) names[family] = await pin(ports, holderOf(vm), copiedObject(taken, family, source.spec[family]))
  }
  return names
}

/**
 * The remedy for a VM whose revision is missing or invalid does not apply to a snapshot, and would
 * lose the VM's revisions. @throws the given error
 */
function explain(error: unknown): never {
  if (!(error instanceof CaptureFailed)) throw error
  const { cause } = error
  const lost = cause instanceof StatusError && isNotFound(cause) ? (cause.status.details?.name ?? '') : undefined
  if (lost === undefined && !(cause instanceof RevisionUndecodable)) throw error
  const copy = lost === undefined ? "The snapshot's copy cannot be read" : `The snapshot's copy "${lost}" is gone`
  throw new CaptureFailed(error.reason, `${copy}: restore it from a backup, or delete the VirtualMachineRestore, which frees the VM`, {
    cause,
  })
}

/**
 * Reports whether the snapshot contains the revisions that the VM names. Snapshots of KubeVirt may
 * lack them: then the current revisions of the VM are the best available.
 */
function isTaken({ spec }: VirtualMachine, source: SnapshotVirtualMachine, family: Family): boolean {
  const kept = source.spec?.[family]
  const named = spec[family]
  if (kept === undefined || named === undefined || (kept.revisionName ?? '') === '') return false
  return semanticEqual([named.name, named.kind ?? ''], [kept.name, kept.kind ?? ''])
}

/** The status as if the VM controller had captured these revisions: no refresh is pending. */
function statusOf(ports: Ports, vm: VirtualMachine, names: Names): object {
  const { metadata, spec, status } = vm
  const refs = families.flatMap((family): [string, InstancetypeStatusRef | null][] => {
    const matcher = spec[family]
    const name = names[family]
    if (matcher === undefined) return [[`${family}Ref`, null]]
    return name === undefined ? [] : [[`${family}Ref`, { ...withoutRevision(matcher), controllerRevisionRef: { name } }]]
  })
  const forgotten = families.flatMap((family) =>
    names[family] === undefined
      ? []
      : [[family, { specRevisionName: null, newerGeneration: null, history: historyOf(ports, vm, family, names[family]) }]],
  )
  const { replaced = {} } = status?.steadyvm ?? {}
  // A name that had been given up for another one is in use again.
  const inUse = Object.values(names).filter((name) => Object.hasOwn(replaced, name))
  const steadyvm = {
    refresh: metadata.annotations?.[refreshAnnotation] ?? null,
    ...Object.fromEntries(forgotten),
    ...(inUse.length === 0 ? {} : { replaced: Object.fromEntries(inUse.map((name) => [name, null])) }),
  }
  return { ...Object.fromEntries(refs), steadyvm, restoreInProgress: null }
}

/**
 * Revisions that the VM can go back to, when shared: only this history references the revisions
 * from before the restore.
 */
function historyOf(ports: Ports, vm: VirtualMachine, family: Family, now: string): readonly string[] | null {
  const taken = { history: vm.status?.steadyvm?.[family]?.history, before: vm.status?.[`${family}Ref`]?.controllerRevisionRef?.name, now }
  const history = updateHistory(taken, { format: revisionFormatOf(ports.config()), historyLimit: historyLimitOf(vm, ports) })
  return history.length === 0 ? null : history
}

import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { Family } from '#features/instancetype/index.ts'
import { importedKindOf } from './kinds.ts'
import { describe, importedFromAnnotation, type Export } from './read-export.ts'

/** What happens to an object of an export. */
export interface ImportStep {
  readonly object: KubeObject
  /** `kept`: the cluster has an object of this name, which stays as it is. */
  readonly action: 'create' | 'present' | 'kept' | 'conflict'
  readonly why?: string
}

/** What an import does, before it does anything. */
export interface ImportPlan {
  readonly steps: readonly ImportStep[]
  readonly skipped: readonly string[]
}

/**
 * Compares an export with the cluster. An object that an earlier import created counts as present,
 * so that an interrupted import can be repeated. Content of snapshots gets a new name, and follows
 * its snapshot.
 */
export async function planImport(client: Pick<Client, 'get'>, exported: Export): Promise<ImportPlan> {
  const { hardware, revisions, snapshots, contents, vms, skipped } = exported
  const steps: ImportStep[] = []
  for (const object of [...hardware, ...revisions, ...snapshots, ...vms]) {
    const resource = importedKindOf(object)?.resource
    if (resource === undefined) continue
    const { namespace, name = '' } = object.metadata ?? {}
    const present = await found(client.get(resource, { ...(namespace === undefined ? {} : { namespace }), name }))
    steps.push({ object, ...judge(object, present, exported) })
  }
  const isPresent = (object: KubeObject | undefined): boolean => steps.some((step) => step.object === object && step.action === 'present')
  for (const [index, step] of steps.entries()) {
    // A revision that was replaced since its VM was imported is not needed again.
    const owner = step.object.metadata?.ownerReferences?.[0]?.uid
    const isOwned = owner !== undefined && isPresent([...vms, ...snapshots].find((object) => importedUidOf(object) === owner))
    if (step.action === 'create' && isOwned) steps[index] = { ...step, action: 'present', why: replacedSince }
  }
  for (const vm of vms)
    for (const name of missingRevisions(vm, revisions)) steps.push({ object: vm, action: 'conflict', why: missing(name) })
  for (const content of contents) {
    const snapshot = snapshots.find(({ metadata }) => isSame(metadata, content.spec.virtualMachineSnapshotName, content.metadata.namespace))
    steps.push(
      snapshot === undefined
        ? {
            object: content,
            action: 'conflict',
            why: `the export has no VirtualMachineSnapshot "${content.spec.virtualMachineSnapshotName}"`,
          }
        : { object: content, action: isPresent(snapshot) ? 'present' : 'create' },
    )
  }
  return { steps, skipped }
}

/** Why a revision of an imported VM is not created again. */
export const replacedSince = 'it was replaced since'

function judge(object: KubeObject, present: KubeObject | undefined, exported: Export): Omit<ImportStep, 'object'> {
  if (present === undefined) return { action: 'create' }
  if (exported.hardware.includes(object)) {
    if (semanticEqual(specOf(object), specOf(present))) return { action: 'present' }
    const vm = exported.vms.find((one) => isNamedWithoutRevision(one, object))
    const other = 'the cluster has another one of this name'
    if (vm === undefined) return { action: 'kept', why: `${other}; VMs keep what their revisions hold` }
    return { action: 'conflict', why: `${other}, and ${describe(vm)} has no revision that holds this one` }
  }
  if (object.kind === 'ControllerRevision') {
    const isEqual = semanticEqual((object as ControllerRevision).data, (present as ControllerRevision).data)
    return isEqual ? { action: 'present' } : { action: 'conflict', why: 'the cluster has another one of this name' }
  }
  return importedUidOf(present) === importedUidOf(object)
    ? { action: 'present' }
    : { action: 'conflict', why: 'the cluster has another one of this name' }
}

function importedUidOf({ metadata }: KubeObject): string | undefined {
  return metadata?.annotations?.[importedFromAnnotation]
}

function specOf(object: KubeObject): unknown {
  return (object as { readonly spec?: unknown }).spec
}

function isSame(metadata: KubeObject['metadata'], name: string | undefined, namespace: string | undefined): boolean {
  return metadata?.name === name && metadata?.namespace === namespace
}

const families: readonly Family[] = ['instancetype', 'preference']

function isNamedWithoutRevision({ spec }: VirtualMachine, object: KubeObject): boolean {
  return families.some((family) => {
    const matcher = spec[family]
    const isOfFamily = object.kind?.toLowerCase().endsWith(family) === true
    return isOfFamily && matcher?.name === object.metadata?.name && (matcher?.revisionName ?? '') === ''
  })
}

function missingRevisions({ metadata, spec }: VirtualMachine, revisions: readonly ControllerRevision[]): string[] {
  return families.flatMap((family) => {
    const name = spec[family]?.revisionName ?? ''
    const isThere = name === '' || revisions.some((revision) => isSame(revision.metadata, name, metadata.namespace))
    return isThere ? [] : [name]
  })
}

function missing(revision: string): string {
  return `the export has no ControllerRevision "${revision}", which holds its hardware: export controllerrevisions as well`
}

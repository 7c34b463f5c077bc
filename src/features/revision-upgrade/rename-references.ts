import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import {
  addReplacedNames,
  type Family,
  currentNameOf,
  referencesOf,
  replacedNames,
  referencedRevisions,
  startRevisionName,
} from '#features/instancetype/index.ts'

/** New names of revisions by old name. */
export type Renames = ReadonlyMap<string, string>

const families = ['instancetype', 'preference'] as const

/**
 * Renames revisions in a VM's spec, once per name: a GitOps tool that writes the old name again
 * wins, and the old name resolves to the new one. Fields managed by server-side apply are left
 * alone, since the next apply of the same manifest would be a conflict.
 */
export function renameInSpec(vm: VirtualMachine, renames: Renames): readonly JsonPatchOperation[] {
  return referencesOf(vm).flatMap(({ written, revision, path, family }) => {
    const now = renames.get(written)
    if (!path.startsWith('/spec/') || now === undefined || now === written || revision !== written || isApplied(vm, family)) return []
    return [
      { op: 'test', path, value: written },
      { op: 'replace', path, value: now },
    ] as const
  })
}

/** Reports whether `revisionName` is managed by server-side apply. */
function isApplied({ metadata }: VirtualMachine, family: Family): boolean {
  return (metadata.managedFields ?? []).some(({ operation, fieldsV1 }) => {
    const spec = fieldsV1?.['f:spec'] as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> | undefined
    return operation === 'Apply' && spec?.[`f:${family}`]?.['f:revisionName'] !== undefined
  })
}

/**
 * Returns the merge patch of a VM's status: references, history and replaced names. Empty when
 * nothing changes.
 */
export function renameInStatus(vm: VirtualMachine, renames: Renames): object {
  const given = new Map([...renames].filter(([old, now]) => old !== now))
  const refs = families.flatMap((family) => {
    const ref = vm.status?.[`${family}Ref`]
    const written = ref?.controllerRevisionRef?.name ?? ''
    return written === '' ? [] : [[`${family}Ref`, { ...ref, controllerRevisionRef: { name: renamedTo(vm, written, given) } }] as const]
  })
  const histories = families.flatMap((family) => {
    const memory = vm.status?.steadyvm?.[family]
    if (memory?.history === undefined) return []
    return [[family, { ...memory, history: [...new Set(memory.history.map((written) => renamedTo(vm, written, given)))] }] as const]
  })
  const replaced = given.size === 0 ? replacedNames(vm) : addReplacedNames(replacedNames(vm), given)
  const { replaced: _, ...memories } = vm.status?.steadyvm ?? {}
  const steadyvm = {
    ...memories,
    ...Object.fromEntries(histories),
    ...(Object.keys(replaced).length === 0 ? {} : { replaced }),
  }
  const next = { ...vm.status, ...Object.fromEntries(refs), ...(Object.keys(steadyvm).length === 0 ? {} : { steadyvm }) }
  return createMergePatch(vm.status ?? {}, next) ?? {}
}

/**
 * Returns a start revision with the new names; undefined when all names are current. Its name is
 * derived from the replaced one too, so that a deleted name is never used again.
 */
export function renamedStartRevision(start: ControllerRevision, vm: VirtualMachine): ControllerRevision | undefined {
  const references = referencesOf(start, vm)
  if (references.every(({ revision, written }) => revision === written)) return undefined
  const spec = start.data?.['spec'] as VirtualMachineSpec
  const matchers = references.map(({ family, revision }) => [family, { ...spec[family], revisionName: revision }] as const)
  const { labels, ownerReferences, namespace } = start.metadata
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: startRevisionName(vm.metadata.uid ?? '', start.revision, [start.metadata.name ?? '', ...referencedRevisions(start, vm)]),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    data: { ...start.data, spec: { ...spec, ...Object.fromEntries(matchers) } },
    revision: start.revision,
  }
}

function renamedTo(vm: VirtualMachine, written: string, renames: Renames): string {
  const meant = currentNameOf(vm, written)
  return renames.get(meant) ?? meant
}

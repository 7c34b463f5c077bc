import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { currentNameOf } from '../find/replaced-names.ts'
import type { Family } from '../matcher.ts'
import { startRevisionPrefix } from './start-revision-name.ts'

/** A field of a stored object that names a revision of an instance type or preference. */
export interface Reference {
  /** Name of the current revision. */
  readonly revision: string
  /** Name in the field; differs from {@link revision} when that revision was replaced. */
  readonly written: string
  readonly family: Family
  readonly namespace: string
  readonly referrer: Referrer
  /** JSON pointer. */
  readonly path: string
}

/**
 * Object that contains a reference. A ControllerRevision contains some when it is a start revision.
 */
export interface Referrer {
  readonly kind: ReferrerKind
  readonly name: string
  readonly uid: string
}

type ReferrerKind = 'VirtualMachine' | 'ControllerRevision' | 'VirtualMachineSnapshotContent'

const families = ['instancetype', 'preference'] as const

/** Fields that name revisions, by kind. */
const placesByKind: Readonly<Record<ReferrerKind, (family: Family, object: KubeObject) => readonly (readonly string[])[]>> = {
  VirtualMachine: (family, object) => [
    ['spec', family, 'revisionName'],
    ['status', `${family}Ref`, 'controllerRevisionRef', 'name'],
    // Shared revisions that the VM can be rolled back to.
    ...((object as VirtualMachine).status?.steadyvm?.[family]?.history ?? []).map((_, index) => {
      return ['status', 'steadyvm', family, 'history', String(index)]
    }),
  ],
  ControllerRevision: (family) => [['data', 'spec', family, 'revisionName']],
  VirtualMachineSnapshotContent: (family) => [['spec', 'source', 'virtualMachine', 'spec', family, 'revisionName']],
}

/**
 * Returns all references in a VM, a start revision or the content of a snapshot; none in other
 * objects. `vm` resolves replaced names: the VM itself, or the owner of the start revision.
 */
export function referencesOf(object: KubeObject, vm: KubeObject = object): readonly Reference[] {
  const kind = kindOf(object)
  if (kind === undefined) return []
  const { name = '', namespace = '', uid = '' } = object.metadata ?? {}
  const referrer: Referrer = { kind, name, uid }
  const owner = vm as Pick<VirtualMachine, 'status'>
  return families.flatMap((family) =>
    placesByKind[kind](family, object).flatMap((place) => {
      const written = place.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], object)
      if (typeof written !== 'string' || written === '') return []
      return [{ revision: currentNameOf(owner, written), written, family, namespace, referrer, path: `/${place.join('/')}` }]
    }),
  )
}

/** Returns the names of the current revisions that an object references. */
export function referencedRevisions(object: KubeObject, vm: KubeObject = object): readonly string[] {
  return referencesOf(object, vm).map(({ revision }) => revision)
}

function kindOf({ kind, metadata }: KubeObject): ReferrerKind | undefined {
  if (kind === 'ControllerRevision') return metadata?.name?.startsWith(startRevisionPrefix) === true ? kind : undefined
  return kind === 'VirtualMachine' || kind === 'VirtualMachineSnapshotContent' ? kind : undefined
}

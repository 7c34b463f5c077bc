import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { currentNameOf } from '../find/replaced-names.ts'
import type { Family } from '../matcher.ts'
import { startRevisionPrefix } from './start-revision-name.ts'

/** A place in a stored object that names the revision of an instance type or preference. */
export interface Reference {
  /** The revision that is meant. */
  readonly revision: string
  /**
   * The name that is written there. Another one than {@link revision} when what it named was
   * replaced.
   */
  readonly written: string
  readonly family: Family
  readonly namespace: string
  readonly referrer: Referrer
  /** JSON pointer. */
  readonly path: string
}

/**
 * The object that a reference is in. A ControllerRevision refers to others when it holds what a
 * guest was started from.
 */
export interface Referrer {
  readonly kind: ReferrerKind
  readonly name: string
  readonly uid: string
}

type ReferrerKind = 'VirtualMachine' | 'ControllerRevision' | 'VirtualMachineSnapshotContent'

const families = ['instancetype', 'preference'] as const

/** Where objects of a kind name revisions. */
const placesByKind: Readonly<Record<ReferrerKind, (family: Family, object: KubeObject) => readonly (readonly string[])[]>> = {
  VirtualMachine: (family, object) => [
    ['spec', family, 'revisionName'],
    ['status', `${family}Ref`, 'controllerRevisionRef', 'name'],
    // What it can go back to, where it shares it with others.
    ...((object as VirtualMachine).status?.steadyvm?.[family]?.history ?? []).map((_, index) => {
      return ['status', 'steadyvm', family, 'history', String(index)]
    }),
  ],
  ControllerRevision: (family) => [['data', 'spec', family, 'revisionName']],
  VirtualMachineSnapshotContent: (family) => [['spec', 'source', 'virtualMachine', 'spec', family, 'revisionName']],
}

/**
 * All places in an object that name a revision: of a VM, of what a guest was started from, of the
 * content of a snapshot. None in anything else.
 * `vm` says what names stand for: the VM itself when that is the object, and the owner of what a guest was started from.
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

/** The revisions that an object refers to. */
export function referencedRevisions(object: KubeObject, vm: KubeObject = object): readonly string[] {
  return referencesOf(object, vm).map(({ revision }) => revision)
}

function kindOf({ kind, metadata }: KubeObject): ReferrerKind | undefined {
  if (kind === 'ControllerRevision') return metadata?.name?.startsWith(startRevisionPrefix) === true ? kind : undefined
  return kind === 'VirtualMachine' || kind === 'VirtualMachineSnapshotContent' ? kind : undefined
}

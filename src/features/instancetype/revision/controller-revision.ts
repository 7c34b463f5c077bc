import { withSortedKeys } from '#apimachinery/sorted-keys.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { Instancetype, Preference } from '../types.ts'
import { encodeRevisionData, knownVersions } from './codec.ts'
import { sharingLabels, type RevisionForm } from './form.ts'
import { hashOf, identityLabels, shorten } from './labels.ts'

/** Who pins an instance type or preference. */
export interface Holder {
  readonly apiVersion: string
  readonly kind: 'VirtualMachine' | 'VirtualMachineSnapshot' | 'VirtualMachineSnapshotContent'
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** A VM, as somebody who pins. */
export function holderOf({ metadata }: VirtualMachine): Holder {
  const { name = '', namespace = '', uid = '' } = metadata
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', namespace, name, uid }
}

/**
 * The revision that is to pin an instance type or preference for a holder. With an owner it dies
 * with it; a shared one is collected when nobody names it.
 */
export function wantedRevision(holder: Holder, object: Instancetype | Preference, form: RevisionForm): ControllerRevision {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: form.sharing === 'shared' ? sharedName(object, form.version) : ownName(holder.name, object, form.version),
      namespace: holder.namespace,
      labels: { ...publisherLabels(object), ...identityLabels(object, form.version), ...sharingLabels(form) },
      ...(form.sharing === 'shared' ? {} : { ownerReferences: [ownedBy(holder)] }),
    },
    data: encodeRevisionData(object, form.version),
    revision: 0,
  }
}

/**
 * `<vm>-<object>-<version>-<uid>-<generation>`, as in KubeVirt: the same object at the same generation gives the same name.
 */
function ownName(holderName: string, object: Instancetype | Preference, version: string): string {
  const { name = '', uid = '', generation = 0 } = object.metadata
  return shorten([holderName, name, version, uid, String(generation)].join('-'), 253)
}

/**
 * Whether a name is one that a shared revision has. A VM may be called so, too, and then the names
 * of its own begin like that: nothing may be lost by that.
 */
export function hasSharedName(name: string): boolean {
  return name.startsWith('shared-')
}

/**
 * `shared-<object>-<version>-<hash>`. What counts is the kind, the name and what the object says. Where it comes from does not: one that was deleted and made again as it was is the same.
 */
function sharedName(object: Instancetype | Preference, version: string): string {
  return shorten(`shared-${object.metadata.name ?? ''}-${version}-${contentHash(object, version)}`, 253)
}

/**
 * Whether a revision of this name held what the object says now, so that it can be taken again when
 * it has been deleted. Its own name tells the generation; a shared one tells the content.
 */
export function mayBeNamed(recorded: string, holder: Holder, object: Instancetype | Preference): boolean {
  const { name = '', uid = '', generation = 0 } = object.metadata
  // Before version 1.3 of KubeVirt there was no version in the name.
  const oldest = [holder.name, name, uid, String(generation)].join('-')
  return recorded === oldest || knownVersions.some((version) => namesIn(version, holder, object).includes(recorded))
}

function namesIn(version: string, holder: Holder, object: Instancetype | Preference): readonly string[] {
  const own = ownName(holder.name, object, version)
  return [own, nameBeside(own, holder, object, version), sharedName(object, version)]
}

/**
 * The name to take when `name` is that of a revision which holds the same in another version, or
 * for a holder of another kind that is called the same: data are never changed, and every kind of
 * holder has a name of its own.
 */
export function nameBeside(name: string, { kind }: Pick<Holder, 'kind'>, object: Instancetype | Preference, version: string): string {
  const hash = contentHash(object, version)
  return `${shorten(name, 242)}-${(kind === 'VirtualMachine' ? hash : hashOf(`${kind} ${hash}`)).slice(0, 10)}`
}

/**
 * Twenty digits do not meet by chance, and whoever takes a revision by its name compares. Of the
 * spec as the engine sees it: versions keep parts of it elsewhere.
 */
function contentHash({ kind, metadata, spec }: Instancetype | Preference, version: string): string {
  return hashOf(JSON.stringify(withSortedKeys([kind, metadata.name, version, spec]))).slice(0, 20)
}

/**
 * Who has published an object and in which bundle, so that it can still be told of the copy when
 * the object has long changed.
 */
function publisherLabels({ metadata }: Instancetype | Preference): Record<string, string> {
  const keys = ['instancetype.kubevirt.io/vendor', 'instancetype.kubevirt.io/common-instancetypes-version']
  return Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => keys.includes(key)))
}

/** Makes the VM the managing owner of an object. */
export function ownerReferenceTo(vm: VirtualMachine): OwnerReference {
  return ownedBy(holderOf(vm))
}

/** See {@link ownerReferenceTo}. */
function ownedBy({ apiVersion, kind, name, uid }: Holder): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

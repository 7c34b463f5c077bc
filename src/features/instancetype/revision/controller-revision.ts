import { createHash } from 'node:crypto'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { Instancetype, Preference } from '../types.ts'
import { encodeRevisionData, type StashVersion } from './codec.ts'

/** Label keys on revisions. */
export const revisionLabels = {
  generation: 'instancetype.kubevirt.io/object-generation',
  kind: 'instancetype.kubevirt.io/object-kind',
  name: 'instancetype.kubevirt.io/object-name',
  uid: 'instancetype.kubevirt.io/object-uid',
  version: 'instancetype.kubevirt.io/object-version',
} as const

/** `<vm>-<object>-<version>-<uid>-<generation>`: the same object at the same generation gives the same name. */
export function revisionName(vmName: string, object: Instancetype | Preference, version: StashVersion = 'v1beta1'): string {
  const { name = '', uid = '', generation = 0 } = object.metadata
  return shorten([vmName, name, version, uid, String(generation)].join('-'), 253)
}

/** The revision that pins an instance type or preference for one VM. Dies with the VM. */
export function revisionOf(vm: VirtualMachine, object: Instancetype | Preference, version: StashVersion = 'v1beta1'): ControllerRevision {
  const { name = '', uid = '', generation = 0 } = object.metadata
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(vm.metadata.name ?? '', object, version),
      ...(vm.metadata.namespace === undefined ? {} : { namespace: vm.metadata.namespace }),
      labels: {
        ...publisherLabels(object),
        [revisionLabels.generation]: String(generation),
        [revisionLabels.kind]: object.kind,
        [revisionLabels.name]: shorten(name, 63),
        [revisionLabels.uid]: uid,
        [revisionLabels.version]: version,
      },
      ownerReferences: [ownerReferenceTo(vm)],
    },
    data: encodeRevisionData(object, version),
    revision: 0,
  }
}

/** Who has published an object and in which bundle, so that it can still be told of the copy when the object has long changed. */
function publisherLabels({ metadata }: Instancetype | Preference): Record<string, string> {
  const keys = ['instancetype.kubevirt.io/vendor', 'instancetype.kubevirt.io/common-instancetypes-version']
  return Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => keys.includes(key)))
}

/** Makes the VM the managing owner of an object. */
export function ownerReferenceTo(vm: VirtualMachine): OwnerReference {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    name: vm.metadata.name ?? '',
    uid: vm.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
}

/** Names of 253 characters are legal for objects but not as label values; what is too long keeps its start and gets a hash. */
function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 10)
  return `${text.slice(0, longest - hash.length - 1)}-${hash}`
}

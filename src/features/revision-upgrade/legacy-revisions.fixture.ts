import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { ownerReferenceTo, type Instancetype, type Preference } from '#features/instancetype/index.ts'

/** Shape of a revision that some release has written. */
export interface LegacyShape {
  readonly what: string
  /** Set when no upgrade is needed. */
  readonly isCurrent?: true
  readonly revision: (holder: string, object: Instancetype | Preference) => ControllerRevision
}

const group = 'instancetype.kubevirt.io'

/** Every shape that KubeVirt has written. */
export const legacyShapes: readonly LegacyShape[] = [
  { what: 'v1alpha1, the bare spec', revision: (holder, object) => bare(holder, object, `${group}/v1alpha1`) },
  { what: 'v1alpha1 that has lost its version', revision: (holder, object) => bare(holder, object, '') },
  { what: 'v1alpha2', revision: (holder, object) => whole(holder, object, 'v1alpha2') },
  { what: 'v1beta1 without labels', revision: (holder, object) => whole(holder, object, 'v1beta1') },
  {
    what: 'v1beta1 with labels and a short name',
    isCurrent: true,
    revision: (holder, object) => labelled(whole(holder, object, 'v1beta1'), object, 'v1beta1'),
  },
  {
    what: 'v1alpha2 that says it were v1beta1',
    revision: (holder, object) => labelled(named(whole(holder, object, 'v1alpha2'), wantedName(holder, object)), object, 'v1beta1'),
  },
  {
    what: 'v1beta1 that says it were v1alpha2',
    revision: (holder, object) => labelled(named(whole(holder, object, 'v1beta1'), wantedName(holder, object)), object, 'v1alpha2'),
  },
]

/** Returns a revision owned by a VM. */
export function ownedBy(vm: VirtualMachine, revision: ControllerRevision): ControllerRevision {
  return withOwners(revision, [ownerReferenceTo(vm)])
}

/** Returns a revision with these owners. */
export function withOwners(revision: ControllerRevision, ownerReferences: OwnerReference[]): ControllerRevision {
  return { ...revision, metadata: { ...revision.metadata, ownerReferences } }
}

/** Returns `<holder>-<object>-<uid>-<generation>`, as KubeVirt did until 1.2. */
function shortName(holder: string, { metadata }: Instancetype | Preference): string {
  return [holder, metadata.name, metadata.uid, metadata.generation].join('-')
}

/** Returns the name that KubeVirt uses since 1.3. */
export function wantedName(holder: string, { metadata }: Instancetype | Preference, version = 'v1beta1'): string {
  return [holder, metadata.name, version, metadata.uid, metadata.generation].join('-')
}

function bare(holder: string, object: Instancetype | Preference, apiVersion: string): ControllerRevision {
  const spec = Buffer.from(JSON.stringify(object.spec)).toString('base64')
  return { metadata: { name: shortName(holder, object), namespace: 'shop' }, data: { apiVersion, spec }, revision: 0 }
}

function whole(holder: string, object: Instancetype | Preference, version: string): ControllerRevision {
  const { kind, metadata, spec } = object
  return {
    metadata: { name: shortName(holder, object), namespace: 'shop' },
    data: { apiVersion: `${group}/${version}`, kind, metadata, spec },
    revision: 0,
  }
}

function named(revision: ControllerRevision, name: string): ControllerRevision {
  return { ...revision, metadata: { ...revision.metadata, name } }
}

function labelled(revision: ControllerRevision, { kind, metadata }: Instancetype | Preference, version: string): ControllerRevision {
  const labels = {
    [`${group}/object-generation`]: String(metadata.generation),
    [`${group}/object-kind`]: kind,
    [`${group}/object-name`]: metadata.name ?? '',
    [`${group}/object-uid`]: metadata.uid ?? '',
    [`${group}/object-version`]: version,
  }
  return { ...revision, metadata: { ...revision.metadata, labels } }
}

import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Family, RevisionFormat } from '#features/instancetype/index.ts'
import { createInspector } from './assessment/inspect-revision.ts'
import { reportOn } from './assessment/report.ts'
import type { RevisionReport, RevisionInventory } from './types.ts'

/** A cluster with nothing in it. */
export const emptyInventory: RevisionInventory = {
  revisions: [],
  virtualMachines: [],
  guests: [],
  snapshots: [],
  contents: [],
  restores: [],
  live: [],
  definitions: [],
  gaps: [],
}

/** KubeVirt's own format, and the default. */
export const ownForm: RevisionFormat = { version: 'v1beta1', sharing: 'own' }

/** A report on a cluster, at noon of New Year 2026. */
export function reportedOn(cluster: Partial<RevisionInventory>, format: RevisionFormat = ownForm): RevisionReport {
  return reportOn(
    { ...emptyInventory, ...cluster },
    {
      format,
      nowMs: Date.parse('2026-01-01T12:00:00Z'),
      kubevirt: { namespace: 'kubevirt', name: 'kubevirt' },
      inspect: createInspector(),
    },
  )
}

const group = 'instancetype.kubevirt.io'
const kinds = { instancetype: 'VirtualMachineClusterInstancetype', preference: 'VirtualMachineClusterPreference' } as const

/** An instance type or preference of the cluster, of which there is one for each number. */
export function liveObject(family: Family, number: number): KubeObject & { readonly spec: object } {
  return {
    apiVersion: `${group}/v1beta1`,
    kind: kinds[family],
    metadata: {
      name: `${family}-${number}`,
      uid: `${String(number).padStart(8, '0')}-0000-4000-8000-0000000000${family === 'instancetype' ? '11' : '22'}`,
      generation: 1,
    },
    spec: family === 'instancetype' ? { cpu: { guest: 1 }, memory: { guest: '1Gi' } } : { cpu: { preferredCPUTopology: 'sockets' } },
  }
}

/** A VM that names one revision of each family in its status. */
export function vmNaming(name: string, names: Partial<Record<Family, string>>, namespace = 'default'): VirtualMachine {
  const refOf = (revision: string | undefined): object | undefined => {
    const [, object = 'x'] = /-((?:instancetype|preference)-\d+)-/.exec(revision ?? '') ?? []
    return revision === undefined ? undefined : { name: object, controllerRevisionRef: { name: revision } }
  }
  return {
    metadata: { name, namespace, uid: `uid-of-${name}` },
    spec: { instancetype: { name: 'x' }, preference: { name: 'x' }, template: { spec: { domain: { devices: {} } } } },
    status: { instancetypeRef: refOf(names.instancetype), preferenceRef: refOf(names.preference) },
  } as VirtualMachine
}

/**
 * A revision as it should be, or with another version, in which case it has KubeVirt's old name and
 * no labels.
 */
export function revisionFor(
  vm: { readonly metadata: KubeObject['metadata'] },
  family: Family,
  version = 'v1beta1',
  number = 0,
): ControllerRevision {
  const { apiVersion: _, kind, metadata, spec } = liveObject(family, number)
  const { name = '', namespace = 'default', uid = '' } = vm.metadata ?? {}
  const isNew = version === 'v1beta1'
  const labels = {
    [`${group}/object-generation`]: '1',
    [`${group}/object-kind`]: kind ?? '',
    [`${group}/object-name`]: metadata?.name ?? '',
    [`${group}/object-uid`]: metadata?.uid ?? '',
    [`${group}/object-version`]: version,
  }
  return {
    metadata: {
      name: `${name}-${metadata?.name ?? ''}${isNew ? '-v1beta1' : ''}-${metadata?.uid ?? ''}-1`,
      namespace,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid, controller: true, blockOwnerDeletion: true }],
      ...(isNew ? { labels } : {}),
    },
    data: { apiVersion: `${group}/${version}`, kind, metadata, spec },
    revision: 0,
  }
}

/** A revision with some of its metadata replaced. */
export function with_(revision: ControllerRevision, metadata: object, rest: object = {}): ControllerRevision {
  return { ...revision, metadata: { ...revision.metadata, ...metadata }, ...rest }
}

/** A VM with two revisions as they should be. */
export function healthy(
  name: string,
  namespace = 'default',
  number = 0,
): { readonly vm: VirtualMachine; readonly revisions: readonly ControllerRevision[] } {
  const bare = vmNaming(name, {}, namespace)
  const revisions = (['instancetype', 'preference'] as const).map((family) => revisionFor(bare, family, 'v1beta1', number))
  const [instancetype, preference] = revisions.map(({ metadata }) => metadata.name ?? '')
  return {
    vm: vmNaming(
      name,
      { ...(instancetype === undefined ? {} : { instancetype }), ...(preference === undefined ? {} : { preference }) },
      namespace,
    ),
    revisions,
  }
}

import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import {
  decodeRevision,
  familyOf,
  revisionFormatOf,
  hasFormat,
  isShared,
  referencesOf,
  startRevisionPrefix,
  startRevisionPrefixOf,
} from '#features/instancetype/index.ts'
import type { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'

/** All kinds of which something may be left. */
const kinds: readonly ResourceType<KubeObject>[] = [
  virtualMachines,
  virtualMachineInstances,
  controllerRevisions,
  virtualMachineSnapshots,
  virtualMachineSnapshotContents,
  virtualMachineRestores,
  virtualMachineClones,
]

/** Deletes objects of deleted owners, as the garbage collector of a cluster does. */
export function collectGarbage(api: SimulatedApi): void {
  const live = new Set(kinds.flatMap((resource) => api.list(resource)).map(({ metadata }) => metadata?.uid))
  for (const resource of kinds) {
    for (const { metadata = {} } of api.list(resource)) {
      const { ownerReferences = [], namespace = '', name = '', deletionTimestamp } = metadata
      const isOrphaned = ownerReferences.length > 0 && !ownerReferences.some(({ uid }) => live.has(uid))
      if (isOrphaned && deletionTimestamp === undefined) api.remove(resource, { namespace, name })
    }
  }
}

/**
 * Returns objects that must not exist at the end. `isStrict`: the gate was never off, so that no VM
 * has its own copies.
 */
export function leakedObjects(api: SimulatedApi, config: ClusterConfig, isStrict: boolean): string[] {
  return [...leftRevisions(api, config, isStrict), ...leftLocks(api), ...leftObjects(api)]
}

function leftRevisions(api: SimulatedApi, config: ClusterConfig, isStrict: boolean): string[] {
  const format = revisionFormatOf(config)
  // Copies of a failed snapshot are deleted with it.
  const failed = new Set(
    api.list(virtualMachineSnapshots).flatMap(({ metadata, status }) => (status?.phase === 'Failed' ? metadata.uid : [])),
  )
  const revisions = api
    .list(controllerRevisions)
    .filter(({ metadata }) => metadata.name?.startsWith(startRevisionPrefix) !== true)
    .filter(({ metadata }) => !failed.has(metadata.ownerReferences?.[0]?.uid))
  const references = [
    ...api.list(virtualMachines).flatMap((vm) => referencesOf(vm)),
    ...api.list(virtualMachineSnapshotContents).flatMap((content) => referencesOf(content as KubeObject)),
    ...api.list(virtualMachines).flatMap((vm) => startsOf(api, vm).flatMap((start) => referencesOf(start, vm))),
  ]
  const named = new Set(references.map(({ revision }) => revision))
  const wrong = references.flatMap(({ revision, family, referrer, path }) => {
    const found = api.get(controllerRevisions, 'shop', revision)
    return found !== undefined && hasFormat(found, family, format)
      ? []
      : [`${referrer.kind} ${referrer.name}${path} is not in format: ${revision}`]
  })
  const idle = revisions.filter(({ metadata: { name = '' } }) => !named.has(name))
  const isHistory = ({ metadata }: ControllerRevision): boolean => metadata.ownerReferences?.[0]?.kind === 'VirtualMachine'
  const alike = new Map<string, string>()
  const doubles = revisions.flatMap((revision) => {
    const { name = '' } = revision.metadata
    const key = contentOf(revision)
    const other = alike.get(key)
    alike.set(key, name)
    const counts = format.sharing === 'shared' && (isStrict || named.has(name) || isShared(revision))
    return other === undefined || !counts ? [] : [`${name} says the same as ${other}`]
  })
  return [
    ...wrong,
    ...idle.filter((revision) => isStrict || !isHistory(revision)).map(({ metadata }) => `nothing names ${metadata.name}`),
    ...doubles.filter(
      (text) =>
        isStrict ||
        !revisions.some((one) => isHistory(one) && !named.has(one.metadata.name ?? '') && text.includes(one.metadata.name ?? '')),
    ),
  ]
}

/** Also of a stopped guest: the next start deletes it. */
function startsOf(api: SimulatedApi, { metadata }: KubeObject): readonly ControllerRevision[] {
  return api.list(controllerRevisions).filter((one) => one.metadata.name?.startsWith(startRevisionPrefixOf(metadata?.uid ?? '')) === true)
}

function contentOf(revision: ControllerRevision): string {
  const { kind, metadata, spec } = decodeRevision(revision, familyOf(revision) ?? 'instancetype').object
  return JSON.stringify([kind, metadata.name, spec])
}

function leftLocks(api: SimulatedApi): string[] {
  return api.list(virtualMachines).flatMap(({ metadata: { name, finalizers = [], annotations = {} }, status = {} }) => {
    const locks = [status.snapshotInProgress, status.restoreInProgress, annotations['steadyvm.io/restoring']]
    const bound = finalizers.filter((finalizer) => finalizer.startsWith('snapshot.kubevirt.io/'))
    return [...locks, ...bound].flatMap((lock) => (lock === undefined ? [] : [`VM ${name} is locked by ${lock}`]))
  })
}

function leftObjects(api: SimulatedApi): string[] {
  const going = kinds.flatMap((resource) => api.list(resource)).filter(({ metadata }) => metadata?.deletionTimestamp !== undefined)
  const over = new Set(
    api
      .list(virtualMachineClones)
      .filter(({ status }) => status?.phase === 'Succeeded' || status?.phase === 'Failed')
      .map(({ metadata }) => metadata.uid),
  )
  const between = [virtualMachineSnapshots, virtualMachineRestores]
    .flatMap((resource) => api.list<KubeObject>(resource))
    .filter(({ metadata }) => metadata?.ownerReferences?.some(({ uid }) => over.has(uid)) === true)
  const snapshots = new Set(api.list(virtualMachineSnapshots).map(({ metadata }) => `vmsnapshot-content-${metadata.uid}`))
  const alone = api
    .list(virtualMachineSnapshotContents)
    .filter(({ metadata, spec }) => !snapshots.has(metadata.name ?? '') && !isRetained(metadata, spec.virtualMachineSnapshotName))
  return [...going, ...between, ...alone].map(({ kind, metadata }) => `${kind} ${metadata?.name} is left`)
}

/** Only users request that, and only for their snapshots; such content has no owner. */
function isRetained({ ownerReferences = [] }: ObjectMeta, snapshot = ''): boolean {
  return snapshot.startsWith('snapshot-') && ownerReferences.length === 0
}

import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { claimNameOf } from '#features/vmi/index.ts'
import type { LiveConfig } from '#features/cluster-config/index.ts'
import {
  instancetypeKindOf,
  isNamespacedKind,
  lookupIn,
  ownerUids,
  preferenceKindOf,
  referencedRevisions,
  revisionsByOwner,
  vmsByRevision,
} from '#features/instancetype/index.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'
import { createController, type SharedControllerOptions } from '#runtime/controller/controller.ts'
import { enqueueOwner, enqueueSelf, watchResource, type Source } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Ports } from './ports.ts'
import { createVirtualMachineReconciler } from './reconciler.ts'

/** Dependencies of the controller. */
export interface VirtualMachineControllerOptions extends SharedControllerOptions, Pick<Ports, 'client' | 'recorder' | 'random'> {
  readonly live: LiveConfig
}

/** Index of VMs by the claims that their volumes name: `namespace/name`. */
const vmsByClaim = 'claim'
/** Index of VMs by the instance types and preferences that they name. */
const vmsByMatcher = 'matcher'

const owningVm = { group: 'kubevirt.io', kind: 'VirtualMachine' }

/** Creates the controller of VMs. It adds the indexes of VMs and revisions that others use. */
export function createVirtualMachineController({ informers, live, ...options }: VirtualMachineControllerOptions): Runnable {
  const vms = informers.informer(virtualMachines)
  const vmis = informers.informer(virtualMachineInstances)
  const revisions = informers.informer(controllerRevisions)
  const disks = informers.informer(dataVolumes)
  const claims = informers.informer(persistentVolumeClaims)
  vms.addIndex(vmsByMatcher, matcherKeys)
  vms.addIndex(vmsByRevision, revisionKeys)
  vms.addIndex(vmsByClaim, claimKeys)
  revisions.addIndex(revisionsByOwner, ownerUids)
  const hardware = [
    virtualMachineInstancetypes,
    virtualMachineClusterInstancetypes,
    virtualMachinePreferences,
    virtualMachineClusterPreferences,
  ] as const
  // Informers must be requested before the caches start.
  const hardwareSources = hardware.map((resource) => wakeByHardware(informers.informer<KubeObject>(resource), resource.kind, vms))
  const lookup = lookupIn(informers, options.client)
  return createController({
    ...options,
    name: 'virtualmachine',
    reconciler: createVirtualMachineReconciler({
      ...options,
      config: live.config,
      vms,
      vmis,
      dataVolumes: disks,
      claims,
      revisions,
      lookup,
    }),
    sources: [
      watchResource(vms, enqueueSelf),
      watchResource(vmis, enqueueOwner(owningVm)),
      watchResource(disks, enqueueOwner(owningVm), { predicate: isNewPhase }),
      watchResource(claims, (claim) => vms.byIndex(vmsByClaim, nameOf(claim)).flatMap(enqueueSelf), { predicate: isNewOrGone }),
      ...hardwareSources,
      ...wakeByRevisions(revisions, vms),
      // A policy or limit may affect every VM.
      live.wake(() => vms.list().flatMap(enqueueSelf)),
    ],
  })
}

/** Only whether a claim exists concerns the VMs that name it. */
function isNewOrGone({ type }: CacheEvent<PersistentVolumeClaim>): boolean {
  return type !== 'updated'
}

/** The progress of an import does not concern its VM. */
function isNewPhase(event: CacheEvent<DataVolume>): boolean {
  return event.type !== 'updated' || event.object.status?.phase !== event.old.status?.phase
}

/**
 * Enqueues VMs that name an instance type or preference when it appears or changes, instead of
 * retrying.
 */
function wakeByHardware(informer: Informer<KubeObject>, kind: string, vms: Informer<VirtualMachine>): Source {
  return watchResource(
    informer,
    ({ metadata }) => vms.byIndex(vmsByMatcher, `${kind}/${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`).flatMap(enqueueSelf),
    // At the start every VM is reconciled anyway.
    { predicate: () => vms.hasSynced },
  )
}

/**
 * Enqueues VMs that name a revision when it appears or is deleted, but not for revisions that the
 * VM captured itself. A deletion also enqueues the owner, which may wait for the name.
 */
function wakeByRevisions(revisions: Informer<ControllerRevision>, vms: Informer<VirtualMachine>): readonly Source[] {
  const named = ({ metadata }: ControllerRevision): readonly VirtualMachine[] =>
    vms.byIndex(vmsByRevision, `${metadata.namespace ?? ''}/${metadata.name ?? ''}`)
  const isNews = ({ type, object }: CacheEvent<ControllerRevision>): boolean => {
    if (!vms.hasSynced || type === 'updated') return false
    return type === 'deleted' || named(object).some(({ status }) => findCondition(status?.conditions, 'Failure') !== undefined)
  }
  const isGone = ({ type }: CacheEvent<ControllerRevision>): boolean => type === 'deleted'
  return [
    watchResource(revisions, (revision) => named(revision).flatMap(enqueueSelf), { predicate: isNews }),
    watchResource(revisions, enqueueOwner(owningVm), { predicate: isGone }),
  ]
}

function claimKeys({ metadata: { namespace = '' }, spec }: VirtualMachine): readonly string[] {
  return (spec.template.spec.volumes ?? []).flatMap((volume) => {
    const name = claimNameOf(volume)
    return name === undefined ? [] : [`${namespace}/${name}`]
  })
}

function nameOf({ metadata: { namespace = '', name = '' } }: PersistentVolumeClaim): string {
  return `${namespace}/${name}`
}

function revisionKeys(vm: VirtualMachine): readonly string[] {
  return referencedRevisions(vm).map((name) => `${vm.metadata.namespace ?? ''}/${name}`)
}

function matcherKeys(vm: VirtualMachine): readonly string[] {
  const { instancetype, preference } = vm.spec
  const namespace = vm.metadata.namespace ?? ''
  return [
    ...keyOf(() => instancetypeKindOf(instancetype ?? {}), instancetype?.name, namespace),
    ...keyOf(() => preferenceKindOf(preference ?? {}), preference?.name, namespace),
  ]
}

function keyOf(kindOf: () => Parameters<typeof isNamespacedKind>[0], name: string | undefined, namespace: string): string[] {
  if (name === undefined) return []
  try {
    const kind = kindOf()
    return [`${kind}/${isNamespacedKind(kind) ? namespace : ''}/${name}`]
  } catch {
    // An invalid kind is never created.
    return []
  }
}

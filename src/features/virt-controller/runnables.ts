import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import { createCatalogueControllers } from '#features/catalogue/index.ts'
import { createConfigurationReconciler, createLiveConfig, kubeVirtsIn, type LiveConfig } from '#features/cluster-config/index.ts'
import { createHardwareSummaryController } from '#features/hardware-record/index.ts'
import {
  instancetypeKindOf,
  isNamespacedKind,
  ownerUids,
  preferenceKindOf,
  revisionsByOwner,
  referencedRevisions,
  startsByRevision,
  vmsByRevision,
} from '#features/instancetype/index.ts'
import { createEvacuationController, vmisByNode } from '#features/evacuation/index.ts'
import { budgetSelector, createDisruptionBudgetReconciler } from '#features/disruption-budget/index.ts'
import { createCloneController } from '#features/clone/index.ts'
import { createNodeHealthReconciler } from '#features/node-health/index.ts'
import { createMigrationController } from '#features/migration/index.ts'
import { createRevisionCollectorController } from '#features/revision-gc/index.ts'
import { createRevisionSummaryController } from '#features/revision-report/index.ts'
import { createRevisionUpgradeController } from '#features/revision-upgrade/index.ts'
import { contentsByRevision, createSnapshotControllers } from '#features/snapshot/index.ts'
import { createStorageMigrator } from '#features/api-versions/index.ts'
import { createWorkloadUpdateController } from '#features/workload-update/index.ts'
import { createVirtualMachineReconciler } from '#features/vm/index.ts'
import { claimNames, createVirtualMachineInstanceReconciler, launcherSelector, names, podsByVmi } from '#features/vmi/index.ts'
import { createInformerSet, type InformerSet } from '#runtime/cache/informer-set.ts'
import { withoutUpdateEntries } from '#runtime/cache/managed-fields.ts'
import type { CacheEvent, Informer } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import { createController } from '#runtime/controller/controller.ts'
import { enqueueOwner, enqueueSelf, watchResource, type Source } from '#runtime/controller/source.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import type { Logger } from '#runtime/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Random } from '#runtime/random.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { cachedIn } from './cached-in.ts'

/** Dependencies and settings of all controllers. */
export interface VirtControllerOptions {
  readonly client: Client
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  /** Image of the launcher, with tag. */
  readonly launcherImage: string
  readonly metrics?: ControllerMetricsFactory
  /** Registry of metrics about revisions. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom' | 'counter' | 'histogram'>
  /**
   * Milliseconds after the start before the catalogue is written. Default 3 000: nodes and first
   * guests have priority.
   */
  readonly catalogueQuietMs?: number
  /** Concurrent reconciles of a controller. Default 8. */
  readonly concurrency?: number
}

/** Caches and controllers for the stages of the manager. */
export interface VirtControllerRunnables {
  readonly caches: Runnable
  readonly controllers: readonly Runnable[]
}

/** Creates all controllers of virt-controller with their shared caches. */
export function createVirtControllerRunnables(options: VirtControllerOptions): VirtControllerRunnables {
  const { client, clock, log, random, catalogueQuietMs = 3_000 } = options
  const informers = createInformerSet({ client, clock, log, random, transform: withoutUpdateEntries })
  const live = createLiveConfig({ informers, log })
  return {
    caches: informers,
    controllers: [
      createVmController(options, informers, live),
      createVmiController(options, informers, live),
      createDisruptionBudgetController(options, informers, live),
      createEvacuationRunnable(options, informers, live),
      createWorkloadUpdateRunnable(options, informers, live),
      createNodeHealthController(options, informers),
      createRevisionUpgradeRunnable(options, informers, live),
      createConfigurationController(options, informers),
      createRevisionSummaryController({ ...options, informers }),
      createRevisionCollectorController(options, informers),
      createMigrationRunnable(options, informers, live),
      createHardwareSummaryController({ ...options, informers }),
      ...createSnapshotRunnables(options, informers, live),
      ...createCatalogueControllers({ ...options, informers, live, quietMs: catalogueQuietMs }),
      createStorageMigrator({ client, clock, log }),
    ],
  }
}

/** Index of VMs by the instance types and preferences that they name. */
const vmsByMatcher = 'matcher'

function createVmController(options: VirtControllerOptions, informers: InformerSet, live: LiveConfig): Runnable {
  const vms = informers.informer(virtualMachines)
  const vmis = informers.informer(virtualMachineInstances)
  const revisions = informers.informer(controllerRevisions)
  vms.addIndex(vmsByMatcher, matcherKeys)
  vms.addIndex(vmsByRevision, revisionKeys)
  revisions.addIndex(revisionsByOwner, ownerUids)
  const hardware = [
    virtualMachineInstancetypes,
    virtualMachineClusterInstancetypes,
    virtualMachinePreferences,
    virtualMachineClusterPreferences,
  ] as const
  // Informers must be requested before the caches start.
  const hardwareSources = hardware.map((resource) => wakeByHardware(informers.informer<KubeObject>(resource), resource.kind, vms))
  const reconciler = createVirtualMachineReconciler({
    ...options,
    config: live.config,
    vms,
    vmis,
    revisions,
    lookup: { client: options.client, cached: cachedIn(informers) },
  })
  const sources = [watchResource(vms, enqueueSelf), watchResource(vmis, enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachine' }))]
  // A policy or limit may affect every VM.
  const configSource = live.wake(() => vms.list().flatMap(enqueueSelf))
  return controllerOf(
    'virtualmachine',
    reconciler,
    [...sources, ...hardwareSources, ...wakeByRevisions(revisions, vms), configSource],
    options,
  )
}

/** Index of VMIs by their claims. */
const vmisByClaim = 'claim'

function createVmiController(options: VirtControllerOptions, informers: InformerSet, live: LiveConfig): Runnable {
  const vmis = informers.informer(virtualMachineInstances)
  const launchers = launchersIn(informers)
  const claims = informers.informer(persistentVolumeClaims)
  vmis.addIndex(vmisByClaim, ({ metadata, ...vmi }) => claimNames(vmi).map((name) => `${metadata.namespace ?? ''}/${name}`))
  const reconciler = createVirtualMachineInstanceReconciler({ ...options, config: live.config, vmis, pods: launchers, claims })
  const owner = enqueueOwner(ofVmis)
  const ofClaim = watchResource(
    claims,
    ({ metadata }) => vmis.byIndex(vmisByClaim, `${metadata.namespace ?? ''}/${metadata.name ?? ''}`).flatMap(enqueueSelf),
    // At the start every VMI is reconciled anyway.
    { predicate: () => vmis.hasSynced },
  )
  // The source only delays reconciles until the configuration is known: existing launchers do not
  // change.
  const sources = [watchResource(vmis, enqueueSelf), watchResource(launchers, owner), ofClaim, live.wake(() => [])]
  return controllerOf('virtualmachineinstance', reconciler, sources, options)
}

function createDisruptionBudgetController(options: VirtControllerOptions, informers: InformerSet, live: LiveConfig): Runnable {
  const vmis = informers.informer(virtualMachineInstances)
  const launchers = launchersIn(informers)
  const budgets = informers.informer(podDisruptionBudgets, { labelSelector: budgetSelector })
  const migrations = informers.informer(virtualMachineInstanceMigrations)
  const reconciler = createDisruptionBudgetReconciler({ ...options, config: live.config, vmis, pods: launchers, migrations, budgets })
  const owner = enqueueOwner(ofVmis)
  // The cluster's eviction strategy applies to guests without their own.
  const configSource = live.wake(() => vmis.list().flatMap(enqueueSelf))
  const ofMigration = ({ metadata, spec }: VirtualMachineInstanceMigration): readonly Request[] => [
    { namespace: metadata.namespace ?? '', name: spec.vmiName ?? '' },
  ]
  const sources = [
    watchResource(vmis, enqueueSelf),
    watchResource(launchers, owner),
    watchResource(migrations, ofMigration),
    watchResource(budgets, owner),
    configSource,
  ]
  return controllerOf('disruption-budget', reconciler, sources, options)
}

function createEvacuationRunnable(options: VirtControllerOptions, informers: InformerSet, live: LiveConfig): Runnable {
  const launchers = launchersIn(informers)
  const { reconciler, sources, everyNode } = createEvacuationController(informers, { ...options, config: live.config, launchers })
  return controllerOf('evacuation', reconciler, [...sources, live.wake(everyNode)], options)
}

function createWorkloadUpdateRunnable(options: VirtControllerOptions, informers: InformerSet, live: LiveConfig): Runnable {
  const launchers = launchersIn(informers)
  const { reconciler, sources, all } = createWorkloadUpdateController(informers, { ...options, config: live.config, launchers })
  return controllerOf('workload-update', reconciler, [...sources, live.wake(all)], options)
}

function createNodeHealthController(options: VirtControllerOptions, informers: InformerSet): Runnable {
  const nodeCache = informers.informer(nodes)
  const vmis = informers.informer(virtualMachineInstances)
  const launchers = launchersIn(informers)
  const vmisOf = (name: string): readonly VirtualMachineInstance[] =>
    vmis.byIndex(vmisByNode, name).filter(({ status }) => status?.nodeName === name)
  const reconciler = createNodeHealthReconciler({ ...options, nodes: nodeCache, vmisOf, pods: launchers })
  // VMIs are handled with their node. A deleted node raises no further events, so its VMIs do.
  const orphaned = ({ status }: VirtualMachineInstance): readonly Request[] =>
    (status?.nodeName ?? '') === '' || nodeCache.get('', status?.nodeName ?? '') !== undefined
      ? []
      : [{ namespace: '', name: status?.nodeName ?? '' }]
  const known = [watchResource(vmis, orphaned), watchResource(launchers, () => [])]
  return controllerOf('node-health', reconciler, [watchResource(nodeCache, enqueueSelf), ...known], options)
}

const ofVmis = { group: 'kubevirt.io', kind: 'VirtualMachineInstance' }

function launchersIn(informers: InformerSet): Informer<Pod> {
  const launchers = informers.informer(pods, { labelSelector: launcherSelector })
  launchers.addIndex(podsByVmi, vmiUidOf)
  return launchers
}

function createMigrationRunnable(options: VirtControllerOptions, informers: InformerSet, live: LiveConfig): Runnable {
  const { name, reconciler, sources } = createMigrationController(informers, launchersIn(informers), { ...options, config: live.config })
  return controllerOf(name, reconciler, [...sources, live.wake(() => [])], options)
}

function createSnapshotRunnables(options: VirtControllerOptions, informers: InformerSet, live: LiveConfig): readonly Runnable[] {
  const lookup = { client: options.client, cached: cachedIn(informers) }
  const isReferredByVms = (namespace: string, revision: string): boolean => isNamedByVms(informers, `${namespace}/${revision}`)
  // Snapshots wait until the configuration is known.
  const snapshots = createSnapshotControllers(informers, { ...options, config: live.config, lookup, isReferredByVms }).map(
    ({ name, reconciler, sources, onConfiguration = () => [] }) =>
      controllerOf(name, reconciler, [...sources, live.wake(onConfiguration)], options),
  )
  const { name, reconciler, sources } = createCloneController(informers, options)
  return [...snapshots, controllerOf(name, reconciler, sources, options)]
}

function createConfigurationController(options: VirtControllerOptions, informers: InformerSet): Runnable {
  const kubevirts = kubeVirtsIn(informers)
  const reconciler = createConfigurationReconciler({ ...options, kubevirts })
  return controllerOf('kubevirt-configuration', reconciler, [watchResource(kubevirts, enqueueSelf)], options)
}

function controllerOf(
  name: string,
  reconciler: Parameters<typeof createController>[0]['reconciler'],
  sources: readonly Source[],
  { clock, log, metrics, concurrency = 8 }: VirtControllerOptions,
): Runnable {
  return createController({ name, reconciler, sources, concurrency, clock, log, ...(metrics === undefined ? {} : { metrics }) })
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
    return (
      type === 'deleted' || named(object).some(({ status }) => (status?.conditions ?? []).some((condition) => condition.type === 'Failure'))
    )
  }
  const isGone = ({ type }: CacheEvent<ControllerRevision>): boolean => type === 'deleted'
  return [
    watchResource(revisions, (revision) => named(revision).flatMap(enqueueSelf), { predicate: isNews }),
    watchResource(revisions, enqueueOwner({ group: 'kubevirt.io', kind: 'VirtualMachine' }), { predicate: isGone }),
  ]
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

function vmiUidOf(pod: Pod): readonly string[] {
  const uid = pod.metadata.labels?.[names.createdByLabel]
  return uid === undefined ? [] : [uid]
}

function createRevisionUpgradeRunnable(options: VirtControllerOptions, informers: InformerSet, live: LiveConfig): Runnable {
  const contents = informers.informer(virtualMachineSnapshotContents)
  const isNamedBySnapshot = (revision: string): boolean => contents.byIndex(contentsByRevision, revision).length > 0
  return createRevisionUpgradeController({ ...options, lookup: { cached: cachedIn(informers) }, isNamedBySnapshot }, informers, live)
}

/**
 * Reports whether a VM, or a revision that a guest was started from, names `<namespace>/<name>`.
 */
function isNamedByVms(informers: InformerSet, revision: string): boolean {
  const vms = informers.informer(virtualMachines).byIndex(vmsByRevision, revision)
  return vms.length > 0 || informers.informer(controllerRevisions).byIndex(startsByRevision, revision).length > 0
}

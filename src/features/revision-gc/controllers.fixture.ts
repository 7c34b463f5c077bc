import assert from 'node:assert/strict'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { createCloneReconciler } from '#features/clone/index.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { isShared, referencesOf } from '#features/instancetype/index.ts'
import { createRevisionUpgradeReconciler } from '#features/revision-upgrade/index.ts'
import {
  createRestoreReconciler,
  createSnapshotReconciler,
  createSnapshotRevisionReconciler,
  snapshotCachesIn,
} from '#features/snapshot/index.ts'
import { createVirtualMachineReconciler } from '#features/vm/index.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Reconciler } from '#runtime/controller/reconcile.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createRevisionCollector } from './index.ts'
import type { Process } from './processes.fixture.ts'
import { namespace } from './vm-workload.fixture.ts'

/** Inputs of controllers besides their process. */
export interface ControllerInputs {
  readonly now: () => number
  readonly config: () => ClusterConfig
}

/** The controllers that are let loose, all of them as they are shipped. */
export type ControllerName =
  | 'vm'
  | 'upgrader'
  | 'collector'
  | 'virtualmachinesnapshot'
  | 'virtualmachinerestore'
  | 'snapshot-revision'
  | 'virtualmachineclone'

/** All controllers of a process, over its caches and its client. */
export function controllersOf({ now, config }: ControllerInputs, { client, cache }: Process): Readonly<Record<ControllerName, Reconciler>> {
  const informers = { informer: <T extends KubeObject>(resource: ResourceType<T>) => cache.informer(resource) } as unknown as InformerSet
  const clock: Clock = { now, after: () => assert.fail('nobody waits'), sleep: () => assert.fail('nobody sleeps') }
  const cached = <T extends KubeObject>(resource: ResourceType<T>, scope: string, name: string): T | undefined =>
    cache.lister(resource).get(scope, name)
  const vms = cache.lister(virtualMachines)
  const revisions = cache.lister(controllerRevisions)
  const contents = cache.lister(virtualMachineSnapshotContents)
  const common = { client, clock, config, lookup: { client, cached }, recorder: { event: () => {} } }
  const ports = {
    ...common,
    vms,
    vmis: cache.lister(virtualMachineInstances),
    dataVolumes: { get: () => undefined },
    claims: { get: () => undefined },
    revisions,
    random: () => 0,
  }
  const isNamedIn = (objects: readonly KubeObject[], revision: string): boolean =>
    objects.some((object) => referencesOf(object).some((reference) => reference.revision === revision))
  const isReferredElsewhere = (vm: VirtualMachine, revision: string): boolean =>
    isNamedIn([...contents.list(), ...[...vms.list(), ...revisions.list()].filter((object) => !isOf(object, vm))], revision)
  const isReferredBesides = (content: KubeObject, revision: string): boolean =>
    isNamedIn(
      [...vms.list(), ...revisions.list(), ...contents.list().filter(({ metadata }) => metadata.uid !== content.metadata?.uid)],
      revision,
    )
  const snapshotPorts = { ...common, ...snapshotCachesIn(informers), launcherImage: '', inContainer: false }
  return {
    virtualmachinesnapshot: createSnapshotReconciler(snapshotPorts),
    virtualmachinerestore: createRestoreReconciler(snapshotPorts),
    'snapshot-revision': createSnapshotRevisionReconciler({ ...snapshotPorts, isReferredElsewhere: isReferredBesides }),
    virtualmachineclone: createCloneReconciler({ ...snapshotPorts, clones: cache.lister(virtualMachineClones) }),
    vm: createVirtualMachineReconciler(ports),
    upgrader: createRevisionUpgradeReconciler({ ...ports, isReferredElsewhere }),
    collector: createRevisionCollector({
      client,
      clock,
      log,
      revisions: { byIndex: () => revisions.list(namespace).filter(isShared) },
      isNamed: () => false,
    }),
  }
}

function isOf({ metadata }: KubeObject, vm: VirtualMachine): boolean {
  return metadata?.uid === vm.metadata.uid || metadata?.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) === true
}

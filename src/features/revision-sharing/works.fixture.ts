import assert from 'node:assert/strict'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/defaults/index.ts'
import { claim, isShared } from '#features/instancetype/index.ts'
import { createRevisionUpgradeReconciler, referencesOf } from '#features/revision-upgrade/index.ts'
import { createVirtualMachineReconciler, type VirtualMachinePorts } from '#features/vm/index.ts'
import type { Reconciler } from '#runtime/controller/reconcile.ts'
import { silentLogger as log } from '#runtime/log.ts'
import { createRevisionCollector } from './index.ts'
import type { Process, Work } from './processes.fixture.ts'
import { at, namespace } from './users.fixture.ts'

/** What works need beside their process. */
export interface Surroundings {
  readonly now: () => number
  readonly config: () => ClusterConfig
}

const kinds: readonly ResourceType<KubeObject>[] = [
  virtualMachines,
  virtualMachineInstances,
  controllerRevisions,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
]

/** Lets the caches of a process take in a share of what has happened. */
export function follow({ cache }: Process, share = 1): void {
  for (const resource of kinds) cache.follow(resource, share)
}

/** One look of the VM controller at a VM. */
export function lookAfter(surroundings: Surroundings, name: string): Work {
  const run = (process: Process): Promise<unknown> => {
    const ports = portsOf(surroundings, process)
    return reconcile(
      createVirtualMachineReconciler({ ...ports, lookup: { ...ports.lookup, client: process.client }, random: () => 0 }),
      at(name),
    )
  }
  return { run, alone: name }
}

/** One look at the revisions of a VM. */
export function upgrade(surroundings: Surroundings, name: string): Work {
  const run = (process: Process): Promise<unknown> => {
    const ports = portsOf(surroundings, process)
    const isReferredElsewhere = (vm: VirtualMachine, revision: string): boolean =>
      [...ports.vms.list(namespace), ...ports.revisions.list(namespace)].some(
        (object) => !isOf(object, vm) && referencesOf(object).some((reference) => reference.revision === revision),
      )
    return reconcile(createRevisionUpgradeReconciler({ ...ports, isReferredElsewhere }), at(name))
  }
  return { run }
}

/** One look of the collector. */
export function collect(surroundings: Surroundings): Work {
  const run = (process: Process): Promise<unknown> => {
    const { client, clock, revisions } = portsOf(surroundings, process)
    const shared = { byIndex: () => revisions.list().filter(isShared) }
    return reconcile(createRevisionCollector({ client, clock, log, revisions: shared, isNamed: () => false }), {
      namespace: '',
      name: namespace,
    })
  }
  return { run }
}

/** Takes along what a VM names, as a snapshot does. */
export function takeSnapshot({ now }: Surroundings, name: string, snapshot: string): Work {
  const run = async ({ client }: Process): Promise<unknown> => {
    const source = await pinnedIn(client, name)
    if (!(await claimAll(client, now, source))) return
    const spec = { source: { virtualMachine: { spec: source } } }
    return client.create(virtualMachineSnapshotContents, { metadata: at(snapshot), spec } as VirtualMachineSnapshotContent)
  }
  return { run }
}

/** Makes a VM of what a snapshot has taken along, as a restore does. */
export function restore({ now }: Surroundings, name: string, snapshot: string): Work {
  const run = async ({ client }: Process): Promise<unknown> => {
    const content = await client.get(virtualMachineSnapshotContents, at(snapshot))
    const spec = content.spec.source.virtualMachine?.spec
    if (spec === undefined || !(await claimAll(client, now, spec))) return
    return client.create(virtualMachines, { metadata: at(name), spec } as VirtualMachine)
  }
  return { run }
}

/** What is not shared would have to be copied, which is not what this is about. */
async function claimAll(client: Client, now: () => number, { instancetype, preference }: VirtualMachine['spec']): Promise<boolean> {
  for (const matcher of [instancetype, preference]) {
    if (matcher?.revisionName === undefined) continue
    const revision = await client.get(controllerRevisions, at(matcher.revisionName))
    if (!isShared(revision)) return false
    await claim({ client, clock: { now } }, revision)
  }
  return true
}

/** A VM's spec, with the names of the revisions that its status knows. */
async function pinnedIn(client: Client, name: string): Promise<VirtualMachine['spec']> {
  const vm = await client.get(virtualMachines, at(name))
  const named = referencesOf(vm).filter(({ path }) => path.endsWith('/controllerRevisionRef/name'))
  const matchers = named.map(({ family, revision }) => [family, { ...vm.spec[family], revisionName: revision }] as const)
  return { ...vm.spec, ...Object.fromEntries(matchers) }
}

async function reconcile(reconciler: Reconciler, request: { namespace: string; name: string }): Promise<void> {
  await reconciler(request, { signal: new AbortController().signal })
}

function portsOf({ now, config }: Surroundings, { client, cache }: Process): Omit<VirtualMachinePorts, 'random'> {
  return {
    client,
    vms: cache.lister(virtualMachines),
    vmis: cache.lister(virtualMachineInstances),
    revisions: cache.lister(controllerRevisions),
    lookup: { client, cached: (resource, inNamespace, name) => cache.lister(resource).get(inNamespace, name) },
    recorder: { event: () => {} },
    clock: { now, after: () => assert.fail('nobody waits'), sleep: () => assert.fail('nobody sleeps') },
    config,
  }
}

function isOf({ metadata }: KubeObject, vm: VirtualMachine): boolean {
  return metadata?.uid === vm.metadata.uid || metadata?.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) === true
}

import assert from 'node:assert/strict'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import { decodeRevision, referencesOf } from '#features/instancetype/index.ts'
import { createSnapshotRevisionReconciler } from '#features/snapshot/index.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import type { Reconciler } from '#runtime/controller/reconcile.ts'
import { withOwners, type LegacyShape } from './legacy-revisions.fixture.ts'
import type { Gate } from './simulated-api.fixture.ts'
import { SimulatedCache } from './simulated-cache.fixture.ts'
import { linux, named, namespace, small, SimulatedCluster } from './simulated-cluster.fixture.ts'

const clock = createVirtualClock()
const template = { spec: { domain: { devices: {} } } }

/** Resources that the snapshot upgrade reads. */
export const snapshotResources = [virtualMachineSnapshots, virtualMachineSnapshotContents, virtualMachineRestores, controllerRevisions]

/** Cluster with snapshots and the controller of their revisions. */
export class SimulatedSnapshots extends SimulatedCluster {
  /** Adds a snapshot whose revisions have a legacy shape. */
  addSnapshot(name: string, { revision }: LegacyShape, { isRetained = false }: { readonly isRetained?: boolean } = {}): void {
    const snapshot = this.api.put(virtualMachineSnapshots, {
      metadata: { name, namespace },
      spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
      status: { readyToUse: true, phase: 'Succeeded' },
    } as KubeObject)
    const copies = [revision(name, small), revision(name, linux)] as const
    const [type = '', preference = ''] = copies.map(({ metadata }) => metadata.name)
    const matchers = {
      instancetype: { ...named.instancetype, revisionName: type },
      preference: { ...named.preference, revisionName: preference },
    }
    const { uid = '' } = snapshot.metadata ?? {}
    const content = this.api.put(virtualMachineSnapshotContents, {
      metadata: { name: `vmsnapshot-content-${uid}`, namespace },
      spec: { virtualMachineSnapshotName: name, source: { virtualMachine: { spec: { template, ...matchers } } } },
    } as KubeObject)
    const apiVersion = 'snapshot.kubevirt.io/v1beta1'
    const owner: OwnerReference = isRetained
      ? {
          apiVersion,
          kind: 'VirtualMachineSnapshotContent',
          name: content.metadata?.name ?? '',
          uid: content.metadata?.uid ?? '',
          controller: true,
        }
      : { apiVersion, kind: 'VirtualMachineSnapshot', name, uid, controller: true }
    for (const copy of copies) this.addRevision(withOwners(copy, [owner]))
    if (isRetained) this.api.remove(virtualMachineSnapshots, { namespace, name })
  }

  contents(): VirtualMachineSnapshotContent[] {
    return this.api.list(virtualMachineSnapshotContents)
  }

  /** Starts a restore, or ends it. */
  setRestore(snapshot: string, complete: boolean): void {
    this.api.put(virtualMachineRestores, {
      metadata: { name: `back-${snapshot}`, namespace },
      spec: { target: { kind: 'VirtualMachine', name: 'web' }, virtualMachineSnapshotName: snapshot },
      status: { complete },
    } as VirtualMachineRestore)
  }

  /** Returns a controller with caches of its own. */
  snapshotUpgrader(cache: SimulatedCache, gate?: Gate): Reconciler {
    const restores = cache.lister(virtualMachineRestores)
    const contents = cache.lister(virtualMachineSnapshotContents)
    const client: Client = this.api.client(gate)
    return createSnapshotRevisionReconciler({
      client,
      contents,
      snapshots: cache.lister(virtualMachineSnapshots),
      restores: {
        ...restores,
        byIndex: (_, key) => restores.list().filter(({ spec }) => `${namespace}/${spec.virtualMachineSnapshotName}` === key),
      },
      revisions: cache.lister(controllerRevisions),
      lookup: { client, cached: (resource, inNamespace, name) => cache.lister(resource).get(inNamespace, name) },
      recorder: { event: (_, type, reason, message) => void this.events.push(`${type} ${reason} ${message}`) },
      clock,
      config: () => this.config,
      isReferredElsewhere: ({ metadata }, revision) =>
        contents
          .list()
          .some((other) => other.metadata.uid !== metadata.uid && referencesOf(other).some((one) => one.revision === revision)),
    })
  }

  /** Reconciles all snapshots until nothing is written. */
  async settleSnapshots(): Promise<void> {
    const cache = new SimulatedCache(this.api)
    const reconcile = this.snapshotUpgrader(cache)
    for (let before = -1; before !== this.api.changes.length;) {
      before = this.api.changes.length
      for (const { metadata } of this.contents()) {
        for (const resource of snapshotResources) cache.follow(resource)
        await reconcile({ namespace, name: metadata.name ?? '' }, { signal: new AbortController().signal })
      }
    }
  }

  /** Checks that every snapshot references decodable revisions with unchanged content. */
  checkSnapshots(after: string): void {
    for (const content of this.contents()) {
      for (const { revision, family, path } of referencesOf(content)) {
        const found: ControllerRevision | undefined = this.revision(revision)
        assert.ok(found, `after ${after}: ${content.metadata.name}${path} names ${revision}, which is not there`)
        assert.deepEqual(decodeRevision(found, family).object.spec, (family === 'instancetype' ? small : linux).spec, `after ${after}`)
      }
    }
  }
}

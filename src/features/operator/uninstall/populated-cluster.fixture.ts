import { managedByLabel, manager } from '#api/access/managed.ts'
import assert from 'node:assert/strict'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { componentNames } from '../manifests/install-strategy.ts'
import { cleanupFinalizer, SimulatedCluster } from '../simulated-cluster.fixture.ts'

const managed = { [managedByLabel]: manager }
const namespace = 'kubevirt'
const kinds = 'customresourcedefinitions'

/** A simulated cluster with guests and the objects that components create. */
export class PopulatedCluster extends SimulatedCluster {
  /** Number of VMI objects. */
  guests = 0
  /** True if virt-api rejects all requests while it is registered. */
  isAdmissionDead = false

  /** Deletes the KubeVirt object. */
  uninstall(): void {
    this.mark('kubevirts', this.kubevirt as unknown as KubeObject)
  }

  /** Creates the KubeVirt object again. */
  install(): void {
    this.put('kubevirts', { metadata: { namespace, name: 'kubevirt', generation: 1, uid: 'another' }, spec: {} } as KubeObject)
  }

  override async step(ms: number): Promise<void> {
    await super.step(ms)
    this.#runApi()
    this.#runGuests()
    if (!this.objects.has(`daemonsets/${componentNames.agent}`))
      for (const path of this.objects.keys()) if (path.startsWith('pods/')) this.objects.delete(path)
  }

  /** Returns the keys of all objects except the KubeVirt object. */
  leftovers(): string[] {
    return [...[...this.objects.keys()].filter((path) => path !== 'kubevirts/kubevirt'), ...this.heard.keys()].toSorted()
  }

  /** Asserts that guests are stopped by their running controllers, or not at all. */
  assertGuests(): void {
    if (this.guests === 0) return
    for (const path of [
      `${kinds}/things`,
      `daemonsets/${componentNames.agent}`,
      `deployments/${componentNames.controller}`,
      'clusterroles/component',
    ])
      assert.ok(this.objects.has(path), `${this.guests} guests are left without ${path}`)
  }

  /**
   * Creates the certificates and the budget of virt-api while it exists, as other controllers do.
   */
  #runApi(): void {
    const api = this.objects.get(`deployments/${componentNames.api}`)
    const make = (kind: string, name: string): void => {
      if (!this.objects.has(`${kind}/${name}`)) this.put(kind, { metadata: { name, namespace, labels: managed } })
    }
    if (api === undefined) return void this.objects.delete('poddisruptionbudgets/budget')
    make('poddisruptionbudgets', 'budget')
    const { kubevirt } = this as { kubevirt?: KubeObject }
    if (kubevirt === undefined || isBeingDeleted(kubevirt)) return
    make('secrets', 'certificate')
    make('configmaps', 'bundle')
  }

  #runGuests(): void {
    const definition = this.objects.get(`${kinds}/things`) as unknown as CustomResourceDefinition | undefined
    if (definition?.metadata.deletionTimestamp === undefined) return
    const isRefused = this.isAdmissionDead && this.objects.has('validatingwebhookconfigurations/hooks')
    if (this.guests > 0 && !isRefused) this.guests--
    if (this.guests > 0) return
    const gone = { type: 'Terminating', status: 'False', reason: 'InstanceDeletionCompleted', message: '' } as const
    const finalizers = (definition.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
    const status = { ...definition.status, conditions: setCondition(definition.status?.conditions, gone, '') }
    this.letGo(kinds, this.put(kinds, { ...definition, status, metadata: { ...definition.metadata, finalizers } } as unknown as KubeObject))
  }
}

import assert from 'node:assert/strict'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isShared } from '#features/instancetype/index.ts'
import { referencesOf, revisionsNamedIn } from '#features/revision-upgrade/index.ts'
import type { SimulatedApi } from '../revision-upgrade/simulated-api.fixture.ts'

/** Sees after each write whether what is named is there. */
export class Witness {
  readonly #api: SimulatedApi

  constructor(api: SimulatedApi) {
    this.#api = api
  }

  /** @throws AssertionError when the write was one too many, or one too early */
  see(verb: string, object: KubeObject): void {
    if (verb === 'create' || verb === 'patch') return this.#verify(object)
    // What is owned goes with its owner, as it should.
    if (object.kind === 'ControllerRevision' && isShared(object as ControllerRevision))
      for (const referrer of this.#referrers()) this.#verify(referrer)
  }

  /** Shared revisions that nothing names. */
  garbage(): string[] {
    const named = new Set(this.#referrers().flatMap((object) => revisionsNamedIn(object, this.#vmOf(object))))
    const shared = this.#api.list(controllerRevisions).filter(isShared)
    return shared.map(({ metadata }) => metadata.name ?? '').filter((name) => !named.has(name))
  }

  /** Does what the garbage collector of a cluster does with what a slow process has made for an owner that is gone. */
  sweep(): void {
    for (const resource of [virtualMachineInstances, controllerRevisions] as readonly ResourceType<KubeObject>[]) {
      const orphans = this.#api.list(resource).filter((object) => this.#isOrphaned(object))
      for (const { metadata = {} } of orphans)
        this.#api.remove(resource, { namespace: metadata.namespace ?? '', name: metadata.name ?? '' })
    }
  }

  #verify(object: KubeObject): void {
    if (this.#isOrphaned(object)) return
    for (const { revision, path, namespace } of referencesOf(object, this.#vmOf(object))) {
      const isThere = this.#api.get(controllerRevisions, namespace, revision) !== undefined
      assert.ok(isThere, `${object.kind} ${object.metadata?.name} names ${revision} at ${path}, which is not there`)
    }
  }

  #referrers(): KubeObject[] {
    return [virtualMachineSnapshotContents, virtualMachines, controllerRevisions].flatMap((resource) =>
      this.#api.list<KubeObject>(resource),
    )
  }

  #isOrphaned({ metadata: { ownerReferences = [] } = {} }: KubeObject): boolean {
    const owners = new Set(ownerReferences.map(({ uid }) => uid))
    return owners.size > 0 && !this.#api.list(virtualMachines).some(({ metadata }) => owners.has(metadata.uid ?? ''))
  }

  /** The VM by which the names in an object are to be read. */
  #vmOf(object: KubeObject): KubeObject {
    const owners = (object.metadata?.ownerReferences ?? []).map(({ uid }) => uid)
    return this.#api.list(virtualMachines).find(({ metadata }) => owners.includes(metadata.uid ?? '')) ?? object
  }
}

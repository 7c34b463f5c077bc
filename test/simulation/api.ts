import { alreadyExists, badRequest, conflict, forbidden, invalid, notFound, tooManyRequests } from '#apimachinery/errors.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ObjectKey, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { applyJsonPatch } from '#apimachinery/patch/json-patch.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import type { DeleteOptions, Patch, WriteOptions } from '#client/client.ts'
import { validateMigration } from '#features/migration/index.ts'
import { names } from '#features/vmi/index.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { Store } from './store.ts'

/**
 * A simulated API server that handles each request at one instant: resource versions, finalizers,
 * grace periods, and no writes without a change.
 */
export class Api {
  readonly store: Store
  /** Reviews evictions as virt-api's webhook does. */
  judgeEviction: (pod: Pod) => Promise<{ readonly allowed: boolean; readonly error?: Error }> = async () => ({ allowed: true })
  /** Called for each eviction that was allowed. */
  onEvicted: (pod: Pod, actor: string) => void = () => {}
  readonly #clock: Clock
  readonly #migrations = new Map<string, Set<string>>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.store = new Store(clock)
    this.store.listeners.add(({ resource, before, after }) => {
      if (resource.plural !== virtualMachineInstanceMigrations.plural || (before !== undefined && after !== undefined)) return
      const { metadata, spec } = (after ?? before) as VirtualMachineInstanceMigration
      const ofGuest = this.#migrations.getOrInsertComputed(`${metadata.namespace}/${spec.vmiName}`, () => new Set<string>())
      if (after === undefined) ofGuest.delete(metadata.name ?? '')
      else ofGuest.add(metadata.name ?? '')
    })
  }

  create<T extends KubeObject>(actor: string, resource: ResourceType<T>, object: KubeObject): T {
    const { name = '', namespace = '' } = object.metadata ?? {}
    const key = { namespace, name }
    if (this.store.get(resource, key) !== undefined) throw alreadyExists(resource, name)
    if (resource.plural === virtualMachineInstanceMigrations.plural) this.#admitMigration(actor, object as VirtualMachineInstanceMigration)
    const metadata = {
      ...object.metadata,
      uid: this.store.newUid(),
      generation: 1,
      creationTimestamp: timestamp(this.#clock.now()),
    }
    return this.store.commit(actor, resource, key, { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata })
  }

  patch<T extends KubeObject>(actor: string, resource: ResourceType<T>, key: ObjectKey, patch: Patch, options: WriteOptions = {}): T {
    const before = this.store.get(resource, key)
    if (patch.type === 'apply') return this.#apply(actor, resource, key, patch.body)
    if (before === undefined) throw notFound(resource, key.name)
    const changed = changedBy(before, patch)
    if (changed.metadata?.resourceVersion !== before.metadata?.resourceVersion) throw conflict(resource, key.name)
    return this.replace(actor, resource, key, this.#withoutOthers(resource, before, changed, options.subresource))
  }

  /** Stores the result of an update, if it differs. */
  replace<T extends KubeObject>(actor: string, resource: ResourceType<T>, key: ObjectKey, object: KubeObject): T {
    const before = this.store.get(resource, key)
    if (before === undefined) throw notFound(resource, key.name)
    if (object === before || deepEqual(object, before)) return before
    const [now, then] = [object, before] as readonly { readonly spec?: unknown }[]
    const generation = (before.metadata?.generation ?? 1) + (deepEqual(now?.spec, then?.spec) ? 0 : 1)
    const isOver = object.metadata?.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0
    if (isOver && resource.plural !== pods.plural) return this.store.commit(actor, resource, key, undefined)
    return this.store.commit(actor, resource, key, { ...object, metadata: { ...object.metadata, generation } })
  }

  delete(actor: string, resource: ResourceType<KubeObject>, key: ObjectKey, options: DeleteOptions = {}): void {
    const before = this.store.get(resource, key)
    if (before === undefined) throw notFound(resource, key.name)
    const { metadata = {} } = before
    const { uid, resourceVersion } = options.preconditions ?? {}
    if (uid !== undefined && uid !== metadata.uid) throw conflict(resource, key.name, 'another uid')
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) throw conflict(resource, key.name)
    const isGraceful = resource.plural === pods.plural && options.gracePeriodSeconds !== 0 && isHeld(before as Pod)
    if (!isGraceful && (metadata.finalizers ?? []).length === 0) return void this.store.commit(actor, resource, key, undefined)
    if (metadata.deletionTimestamp !== undefined) return
    const deletionTimestamp = timestamp(this.#clock.now())
    this.store.commit(actor, resource, key, { ...before, metadata: { ...metadata, deletionTimestamp } })
  }

  /** Calls the webhook, then checks the PodDisruptionBudgets. */
  async evict(actor: string, key: ObjectKey, uid: string | undefined): Promise<void> {
    const pod = this.store.get(pods, key)
    if (pod === undefined) throw notFound(pods, key.name)
    if (uid !== undefined && uid !== pod.metadata.uid) throw conflict(pods, key.name, 'another uid')
    const answer = await this.judgeEviction(pod)
    if (!answer.allowed) throw answer.error ?? forbidden(pods, key.name, 'refused')
    if (!this.#isSpare(pod)) throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0)
    this.onEvicted(pod, actor)
    this.delete(actor, pods, key)
  }

  #isSpare({ metadata }: Pod): boolean {
    const guest = metadata.labels?.[names.createdByLabel] ?? ''
    const dependents = this.store.dependentsOf(guest)
    const budgets = dependents.filter(({ resource }) => resource.plural === podDisruptionBudgets.plural)
    const launchers = dependents.filter(({ resource }) => resource.plural === pods.plural)
    const healthy = launchers.filter(({ key }) => isHealthy(this.store.get(pods, key)))
    return budgets.every(({ key }) => healthy.length > Number(this.store.get(podDisruptionBudgets, key)?.spec?.minAvailable ?? 0))
  }

  #admitMigration(actor: string, migration: VirtualMachineInstanceMigration): void {
    const { namespace = '', name = '' } = migration.metadata
    const vmi = this.store.get(virtualMachineInstances, { namespace, name: migration.spec.vmiName ?? '' })
    const others = [...(this.#migrations.get(`${namespace}/${migration.spec.vmiName}`) ?? [])].flatMap(
      (other) => this.store.get(virtualMachineInstanceMigrations, { namespace, name: other }) ?? [],
    )
    const causes = validateMigration(migration, { vmi, others, isSystem: actor.startsWith('virt-controller') })
    if (causes.length > 0)
      throw invalid({ group: 'kubevirt.io', kind: 'VirtualMachineInstanceMigration' }, name, causes as Parameters<typeof invalid>[2])
  }

  #apply<T extends KubeObject>(actor: string, resource: ResourceType<T>, key: ObjectKey, body: KubeObject): T {
    const before = this.store.get(resource, key)
    if (before === undefined) return this.create(actor, resource, body)
    const { labels, annotations } = body.metadata ?? {}
    const metadata = {
      ...before.metadata,
      labels: { ...before.metadata?.labels, ...labels },
      annotations: { ...before.metadata?.annotations, ...annotations },
    }
    const { status: _ignored, ...rest } = body as KubeObject & { readonly status?: unknown }
    return this.replace(actor, resource, key, { ...before, ...rest, metadata })
  }

  /**
   * Keeps fields that the request may not write: a status request writes the status only, another
   * one everything else, unless the kind has no status subresource.
   */
  #withoutOthers(
    { plural }: ResourceType<unknown>,
    before: KubeObject & { readonly status?: unknown },
    after: KubeObject & { readonly status?: unknown },
    subresource?: string,
  ): KubeObject {
    if (plural === virtualMachineInstances.plural) return after
    if (subresource === undefined) return { ...after, ...(before.status === undefined ? {} : { status: before.status }) } as KubeObject
    if (subresource !== 'status') throw badRequest(`no subresource ${subresource}`)
    return { ...before, status: after.status } as KubeObject
  }
}

function changedBy(before: KubeObject, patch: Exclude<Patch, { type: 'apply' }>): KubeObject {
  if (patch.type === 'json') return applyJsonPatch(before, patch.operations) as KubeObject
  if (patch.type !== 'merge') throw badRequest('only merge and JSON patches are known here')
  return applyMergePatch(before, patch.body) as KubeObject
}

function isHeld({ spec, status }: Pod): boolean {
  return spec.nodeName !== undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
}

function isHealthy(pod: Pod | undefined): boolean {
  const isReady = pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
  return isReady && pod?.metadata.deletionTimestamp === undefined
}

import type { Pod } from '#api/core/v1/pod.ts'
import type { ResourceQuota } from '#api/core/v1/resource-quota.ts'
import { type CountedResource, objectUsage, resourceCountedAs } from '#api/usage/object-usage.ts'
import { type Amounts, parseAmounts } from '#api/usage/pod-requests.ts'
import { isInScope } from '#api/usage/quota-scopes.ts'
import { forbidden } from '#apimachinery/errors.ts'
import { formatQuantity, parseQuantity, type QuantityFormat } from '#apimachinery/quantity.ts'
import type { AdmissionPlugin, AdmissionRequest } from '#apiserver/admission/chain.ts'
import { resizedPod } from '#apiserver/admission/pods/pod-request.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { type Charges, createCharges } from './quota-charges.ts'
import { missingResources } from './quota-required-resources.ts'

const quotasKey = '/resourcequotas'

/** Dependencies of {@link createResourceQuotaAdmission}. */
export interface ResourceQuotaOptions {
  readonly store: ObjectStore
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Refuses requests that would exceed a quota of the namespace. Usage is the sum over stored objects
 * and granted requests that are not stored yet, computed synchronously, so that no two requests get
 * the same share. Must run last.
 */
export function createResourceQuotaAdmission(options: ResourceQuotaOptions): AdmissionPlugin {
  const charges = createCharges(options.store, options.now)
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { operation, target } = request
      const isWhole = target.subresource === '' || resizedPod(request) !== undefined
      if (operation === 'DELETE' || !isWhole || !target.definition.namespaced) return
      // Most namespaces have no quota.
      const quotas = options.store.list(quotasKey, target.namespace).map(({ object }) => object as ResourceQuota)
      const matching = quotas.filter((quota) => concerns(quota, request))
      const granted = matching.map((quota) => ({ quota, delta: check(options, charges, quota, request) }))
      if (request.dryRun) return
      const place = { resource: target.definition.storageKey, namespace: target.namespace ?? '', name: target.name }
      for (const { quota, delta } of granted) charges.add(place, quota.metadata.uid ?? '', delta, operation === 'CREATE')
    },
  }
}

function concerns(quota: ResourceQuota, { target, object = {} }: AdmissionRequest): boolean {
  const { group, plural } = target.definition
  return hardNames(quota).some((name) => isCountedAs(name, target.definition)) && isInScope(quota, { group, plural }, object)
}

function hardNames({ spec }: ResourceQuota): readonly string[] {
  return Object.keys(spec?.hard ?? {})
}

function isCountedAs(name: string, { group, plural }: CountedResource): boolean {
  const counted = resourceCountedAs(name)
  return counted?.group === group && counted.plural === plural
}

/**
 * Computes what the request adds to the quota's usage. @throws StatusError 403 when the quota is
 * exceeded
 */
function check(options: ResourceQuotaOptions, charges: Charges, quota: ResourceQuota, request: AdmissionRequest): Amounts {
  const { target, object = {}, old, operation } = request
  const { definition, namespace = '', name } = target
  const names = hardNames(quota).filter((hard) => isCountedAs(hard, definition))
  const refuse = (why: string): Error => forbidden(definition, name, why)
  const quotaName = quota.metadata.name ?? ''
  if (operation === 'CREATE' && definition.storageKey === '/pods') {
    const missing = missingResources(object as Pod, names)
    if (missing !== undefined) throw refuse(`failed quota: ${quotaName}: must specify ${missing}`)
  }
  const delta = difference(
    objectUsage(definition, object, options.now()),
    old === undefined ? new Map() : objectUsage(definition, old, options.now()),
  )
  const growing = names.filter((hard) => (delta.get(hard) ?? 0n) > 0n)
  if (growing.length === 0) return new Map()
  const used = usedBy(options, quota, definition, namespace)
  const pending = charges.total(quota.metadata.uid ?? '', { resource: definition.storageKey, namespace, name })
  const limits = parseAmounts(quota.spec?.hard)
  const total = (hard: string): bigint => (used.get(hard) ?? 0n) + (pending.get(hard) ?? 0n)
  const exceeded = growing.filter((hard) => total(hard) + (delta.get(hard) ?? 0n) > (limits.get(hard) ?? 0n)).toSorted()
  if (exceeded.length === 0) return delta
  const show = (amount: (hard: string) => bigint): string => exceeded.map((hard) => `${hard}=${shown(quota, hard, amount(hard))}`).join(',')
  const parts = [
    `requested: ${show((hard) => delta.get(hard) ?? 0n)}`,
    `used: ${show(total)}`,
    `limited: ${show((hard) => limits.get(hard) ?? 0n)}`,
  ]
  throw refuse(`exceeded quota: ${quotaName}, ${parts.join(', ')}`)
}

function usedBy(
  { store, now }: ResourceQuotaOptions,
  quota: ResourceQuota,
  definition: AdmissionRequest['target']['definition'],
  namespace: string,
): Amounts {
  const sum = new Map<string, bigint>()
  for (const { object } of store.list(definition.storageKey, namespace)) {
    if (!isInScope(quota, definition, object)) continue
    for (const [name, amount] of objectUsage(definition, object, now())) sum.set(name, (sum.get(name) ?? 0n) + amount)
  }
  return sum
}

function difference(next: Amounts, old: Amounts): Amounts {
  return new Map([...next].map(([name, amount]) => [name, amount - (old.get(name) ?? 0n)]))
}

/** Formats in the notation of the limit: 1Gi instead of 1073741824. */
function shown({ spec }: ResourceQuota, hard: string, milli: bigint): string {
  const limit = spec?.hard?.[hard]
  const format: QuantityFormat = limit === undefined ? 'DecimalSI' : parseQuantity(limit).format
  return formatQuantity({ nanos: milli * 1_000_000n, format })
}

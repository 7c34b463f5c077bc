import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import { parseQuantity, quantityToMilli } from '#apimachinery/quantity.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Service } from '#api/core/v1/service.ts'
import { type Amounts, podLimits, podRequests } from './pod-requests.ts'

/** Resource whose objects are counted: group and plural. */
export interface CountedResource {
  readonly group: string
  readonly plural: string
}

const one = 1000n
/** Resources of the core group with an additional quota name, which is older than `count/`. */
const named = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas', 'services', 'persistentvolumeclaims'])
/** Resources whose requests are also counted under the name without a prefix. */
const bare = new Set(['cpu', 'memory', 'ephemeral-storage'])

/**
 * Returns the usage of one object in the quotas of its namespace, by resource name, in thousandths.
 * Pure.
 */
export function objectUsage({ group, plural }: CountedResource, object: KubeObject, nowMs: number): Amounts {
  const usage = new Map<string, bigint>([[countName({ group, plural }), one]])
  if (group !== '') return usage
  if (named.has(plural)) usage.set(plural, one)
  if (plural === 'pods') return new Map([...usage, ...podUsage(object as Pod, nowMs)])
  if (plural === 'services') return new Map([...usage, ...serviceUsage(object as Service)])
  if (plural === 'persistentvolumeclaims') return new Map([...usage, ...claimUsage(object as PersistentVolumeClaim)])
  return usage
}

/** Returns the quota name of the number of objects: `count/pods`, `count/deployments.apps`. */
function countName({ group, plural }: CountedResource): string {
  return `count/${plural}${group === '' ? '' : `.${group}`}`
}

/**
 * Returns the resource whose objects are counted under a quota name; undefined for names under
 * which no objects are counted.
 */
export function resourceCountedAs(name: string): CountedResource | undefined {
  if (name.startsWith('count/')) {
    const [plural = '', ...group] = name.slice('count/'.length).split('.')
    return { plural, group: group.join('.') }
  }
  if (named.has(name)) return { group: '', plural: name }
  if (name.startsWith('services.')) return { group: '', plural: 'services' }
  if (name === 'requests.storage' || name.includes('.storageclass.storage.k8s.io/')) return { group: '', plural: 'persistentvolumeclaims' }
  if (name === 'pods' || bare.has(name) || /^(requests|limits)\.|^hugepages-/.test(name)) return { group: '', plural: 'pods' }
  return undefined
}

/**
 * Returns the usage of a pod besides the number of objects. The usage is empty for a terminated pod
 * and after the deletionTimestamp.
 */
function podUsage(pod: Pod, nowMs: number): Amounts {
  if (!isCharged(pod, nowMs)) return new Map()
  const requests = [...podRequests(pod)].flatMap(([name, amount]): [string, bigint][] => {
    if (name === 'pods') return [['pods', one]]
    const prefixed: [string, bigint] = [`requests.${name}`, amount]
    return bare.has(name) || name.startsWith('hugepages-') ? [[name, amount], prefixed] : [prefixed]
  })
  const limits = [...podLimits(pod)]
    .filter(([name]) => bare.has(name))
    .map(([name, amount]): [string, bigint] => [`limits.${name}`, amount])
  return new Map([...requests, ...limits])
}

function isCharged(pod: Pod, nowMs: number): boolean {
  if (isPodTerminal(pod)) return false
  const { deletionTimestamp } = pod.metadata
  return deletionTimestamp === undefined || Date.parse(deletionTimestamp) >= nowMs
}

function serviceUsage({ spec }: Service): Amounts {
  const ports = BigInt(spec?.ports?.length ?? 0) * one
  if (spec?.type === 'NodePort') return new Map([['services.nodeports', ports]])
  if (spec?.type !== 'LoadBalancer') return new Map()
  const usage = new Map([['services.loadbalancers', one]])
  return spec.allocateLoadBalancerNodePorts === false ? usage : usage.set('services.nodeports', ports)
}

function claimUsage({ spec }: PersistentVolumeClaim): Amounts {
  const request = spec?.resources?.requests?.['storage']
  const storage = request === undefined ? 0n : quantityToMilli(parseQuantity(request))
  const usage = new Map([['requests.storage', storage]])
  if ((spec?.storageClassName ?? '') === '') return usage
  const prefix = `${spec?.storageClassName ?? ''}.storageclass.storage.k8s.io/`
  return usage.set(`${prefix}requests.storage`, storage).set(`${prefix}persistentvolumeclaims`, one)
}

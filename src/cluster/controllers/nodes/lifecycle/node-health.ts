import { setCondition } from '#apimachinery/conditions.ts'
import type { Lease } from '#api/coordination/v1/lease.ts'
import type { Node, NodeCondition, Taint } from '#api/core/v1/node.ts'

const notReady = 'node.kubernetes.io/not-ready'
const unreachable = 'node.kubernetes.io/unreachable'
const unschedulable = 'node.kubernetes.io/unschedulable'
const pressures: Readonly<Record<string, string>> = {
  MemoryPressure: 'node.kubernetes.io/memory-pressure',
  DiskPressure: 'node.kubernetes.io/disk-pressure',
  PIDPressure: 'node.kubernetes.io/pid-pressure',
}

/**
 * Milliseconds since the epoch until which the node counts as healthy. Leases cannot expire before
 * `watchedSince` plus their duration: earlier renewals may have been missed.
 */
export function healthyUntil(lease: Lease | undefined, watchedSince: number): number {
  const renewed = lease?.spec?.renewTime === undefined ? 0 : Date.parse(lease.spec.renewTime)
  return Math.max(renewed, watchedSince) + (lease?.spec?.leaseDurationSeconds ?? 40) * 1000
}

/**
 * Conditions of a node whose kubelet has stopped posting status. Returns the same list when they
 * say so already. Pure.
 */
export function unknownConditions(node: Node, now: string): NodeCondition[] {
  const old = (node.status?.conditions ?? []) as NodeCondition[]
  return ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].reduce<NodeCondition[]>((list, type) => {
    if (list.find((condition) => condition.type === type)?.status === 'Unknown') return list
    const condition = { type, status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' } as const
    return setCondition<NodeCondition>(list, condition, now)
  }, old)
}

/**
 * Taints that follow from the node's state, beside those that others have set. The very same list
 * when nothing changes. Pure.
 */
export function lifecycleTaints(node: Node, now: string): readonly Taint[] {
  const old = node.spec?.taints ?? []
  const wanted = wantedTaints(node)
  const owned = new Set([notReady, unreachable, unschedulable, ...Object.values(pressures)])
  const isWanted = (taint: Taint): boolean => wanted.some((one) => one.key === taint.key && one.effect === taint.effect)
  const kept = old.filter((taint) => !owned.has(taint.key) || isWanted(taint))
  const missing = wanted.filter((taint) => !old.some((one) => one.key === taint.key && one.effect === taint.effect))
  if (kept.length === old.length && missing.length === 0) return old
  return [...kept, ...missing.map((taint) => (taint.effect === 'NoExecute' ? { ...taint, timeAdded: now } : taint))]
}

function wantedTaints({ spec, status }: Node): readonly Taint[] {
  const statusOf = (type: string): string | undefined => status?.conditions?.find((condition) => condition.type === type)?.status
  const ready = statusOf('Ready')
  const down = ready === 'True' ? undefined : ready === 'Unknown' ? unreachable : notReady
  const pressing = Object.entries(pressures).filter(([type]) => statusOf(type) === 'True')
  return [
    ...(down === undefined ? [] : [taint(down, 'NoSchedule'), taint(down, 'NoExecute')]),
    ...(spec?.unschedulable === true ? [taint(unschedulable, 'NoSchedule')] : []),
    ...pressing.map(([, key]) => taint(key, 'NoSchedule')),
  ]
}

function taint(key: string, effect: Taint['effect']): Taint {
  return { key, effect }
}

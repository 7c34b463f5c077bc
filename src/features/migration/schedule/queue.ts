import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'

/** Maximum numbers of parallel migrations. */
interface Limits {
  readonly cluster: number
  readonly outboundPerNode: number
}

/** A migration in the queue, and the node of its guest. */
export interface QueueEntry {
  readonly migration: VirtualMachineInstanceMigration
  readonly sourceNode: string | undefined
  /** It has a target pod, and so takes a slot. */
  readonly isRunning: boolean
}

const ranks: Readonly<Record<string, number>> = { 'system-critical': 100, 'user-triggered': 50, 'system-maintenance': 20 }
const waits: Readonly<Record<string, number>> = { 'system-critical': 1_000, 'user-triggered': 3_000 }

/** Returns the milliseconds until a waiting migration is checked again. */
export function requeueDelayMs({ spec }: VirtualMachineInstanceMigration): number {
  return waits[spec.priority ?? ''] ?? 5_000
}

/**
 * Reports whether a migration may start: no other migrates the same guest, there is a free slot,
 * and no earlier one in the queue could use it.
 */
export function canStart(own: QueueEntry, others: readonly QueueEntry[], limits: Limits): boolean {
  const rivals = others.filter(({ migration }) => migration.metadata.uid !== own.migration.metadata.uid)
  const running = rivals.filter(({ isRunning }) => isRunning)
  if (running.some((other) => isSameGuest(own, other)) || !hasRoom(own, running, limits)) return false
  const before = rivals.filter((other) => !other.isRunning && isBefore(other.migration, own.migration) && hasRoom(other, running, limits))
  if (before.some((other) => isSameGuest(own, other))) return false
  const fromHere = before.filter(({ sourceNode }) => sourceNode === own.sourceNode).length
  const goingFromHere = running.filter(({ sourceNode }) => sourceNode === own.sourceNode).length
  return running.length + before.length < limits.cluster && goingFromHere + fromHere < limits.outboundPerNode
}

function isSameGuest(one: QueueEntry, other: QueueEntry): boolean {
  const { metadata, spec } = other.migration
  return metadata.namespace === one.migration.metadata.namespace && spec.vmiName === one.migration.spec.vmiName
}

function hasRoom({ sourceNode }: QueueEntry, running: readonly QueueEntry[], limits: Limits): boolean {
  return running.length < limits.cluster && running.filter((other) => other.sourceNode === sourceNode).length < limits.outboundPerNode
}

/** Orders by priority, age and name. A total order, so that every pass agrees on the next one. */
function isBefore(one: VirtualMachineInstanceMigration, other: VirtualMachineInstanceMigration): boolean {
  const keyOf = ({ metadata, spec }: VirtualMachineInstanceMigration): readonly [number, string] => [
    -(ranks[spec.priority ?? ''] ?? 0),
    `${metadata.creationTimestamp ?? ''}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
  ]
  const [a, b] = [keyOf(one), keyOf(other)]
  return a[0] === b[0] ? a[1] < b[1] : a[0] < b[0]
}

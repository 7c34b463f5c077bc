import { formatQuantity, isQuantity, parseQuantity, quantityFromBytes, quantityToNumber } from '#apimachinery/quantity.ts'
import type { Conflict } from '../conflict.ts'
import { conflictAt, type Draft, type InstancetypePart } from './draft.ts'

/** Sets guest memory, its maximum, huge pages, and the reduced request with overcommitment. */
export const applyMemoryInto: InstancetypePart = (draft, instancetype) => {
  const { memory } = instancetype
  const conflict = findConflict(draft, memory)
  if (conflict !== undefined) return [conflict]
  const { domain } = draft.spec
  domain.memory = {
    ...domain.memory,
    guest: memory.guest,
    ...(memory.hugepages === undefined ? {} : { hugepages: structuredClone(memory.hugepages) }),
    ...(memory.maxGuest === undefined ? {} : { maxGuest: memory.maxGuest }),
  }
  const percent = memory.overcommitPercent ?? 0
  // Types stored before validation existed may hold an invalid quantity; validation of the VMI
  // reports it.
  if (percent > 0 && isQuantity(memory.guest)) {
    const requests = { ...domain.resources?.requests, memory: overcommittedRequest(memory.guest, percent) }
    domain.resources = { ...domain.resources, requests }
  }
  return []
}

/**
 * Returns the memory request of a guest with `percent` overcommitment, in the format of `guest`.
 * KubeVirt computes in 32-bit floats; rounding at each step reproduces its results.
 */
export function overcommittedRequest(guest: string | number, percent: number): string {
  const quantity = parseQuantity(guest)
  const share = Math.fround(1 - Math.fround(Math.fround(percent) / 100))
  const bytes = Math.trunc(Math.fround(Math.fround(quantityToNumber(quantity)) * share))
  return formatQuantity(quantityFromBytes(BigInt(bytes), quantity.format))
}

/** Returns the first conflict only, as KubeVirt does. */
function findConflict(draft: Draft, wanted: Parameters<InstancetypePart>[1]['memory']): Conflict | undefined {
  const { memory, resources } = draft.spec.domain
  const collisions: readonly (readonly [string, boolean])[] = [
    ['memory.guest', memory?.guest !== undefined],
    ['memory.hugepages', memory?.hugepages !== undefined && wanted.hugepages !== undefined],
    ['memory.maxGuest', memory?.maxGuest !== undefined && wanted.maxGuest !== undefined],
    ['resources.requests.memory', resources?.requests?.['memory'] !== undefined],
    ['resources.limits.memory', resources?.limits?.['memory'] !== undefined],
  ]
  const first = collisions.find(([, collides]) => collides)
  return first === undefined ? undefined : conflictAt(`domain.${first[0]}`)
}

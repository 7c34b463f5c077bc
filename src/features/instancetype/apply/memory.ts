import { formatQuantity, isQuantity, parseQuantity, quantityFromBytes, quantityToNumber } from '#apimachinery/quantity.ts'
import type { Conflict } from '../conflict.ts'
import { conflictAt, type Draft, type InstancetypePart } from './draft.ts'

/** Guest memory, its ceiling, huge pages, and the smaller request when memory is overcommitted. */
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
  // Types from before admission looked may hold anything; what cannot be read is left for the
  // validation of the VMI to name.
  if (percent > 0 && isQuantity(memory.guest)) {
    const requests = { ...domain.resources?.requests, memory: overcommittedRequest(memory.guest, percent) }
    domain.resources = { ...domain.resources, requests }
  }
  return []
}

/**
 * What a guest of this size requests when `percent` of its memory is overcommitted. KubeVirt
 * computes in 32-bit floating point, so the odd digits are part of the contract; hence the rounding
 * at each step. The result is printed in the format of `guest`.
 */
export function overcommittedRequest(guest: string | number, percent: number): string {
  const quantity = parseQuantity(guest)
  const share = Math.fround(1 - Math.fround(Math.fround(percent) / 100))
  const bytes = Math.trunc(Math.fround(Math.fround(quantityToNumber(quantity)) * share))
  return formatQuantity(quantityFromBytes(BigInt(bytes), quantity.format))
}

/** Only the first of several conflicts is reported, as in KubeVirt. */
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

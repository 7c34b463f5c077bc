/**
 * Decides what an eviction of a launcher pod does to its guest, by its eviction strategy.
 *
 * `interceptEviction` is the webhook of virt-api: it allows the eviction, or refuses it and marks
 * the VMI to leave its node. `evictionOutcome` is the pure decision, also used by other features.
 *
 * It does not migrate guests: `evacuation` does so for marked VMIs.
 */
export { interceptEviction } from './intercept.ts'
export { evictionNames } from './names.ts'
export { evictionOutcome, type EvictionConfig, type EvictionOutcome } from './strategy.ts'

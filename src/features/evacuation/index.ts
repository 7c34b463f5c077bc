/**
 * Migrates evicted guests away from nodes that are drained.
 *
 * `createEvacuationController` reconciles nodes: it creates migrations for marked guests, retries
 * with back-off, and reports on the VMI why a guest cannot leave.
 *
 * It does not decide about evictions (`eviction`) and does not run migrations (`migration`).
 */
export { attemptName } from './attempts/attempt-name.ts'
export { summarizeAttempts, endedAt, isCancellable, nextAttemptAt, type Attempts } from './attempts/attempts.ts'
export { createEvacuationController } from './controller.ts'
export { repeatedFailures } from './attempts/obstacle.ts'
export { migrationsByVmi, vmisByNode } from './ports.ts'

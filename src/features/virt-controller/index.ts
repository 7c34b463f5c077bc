/**
 * Composes the controllers of virt-controller from those of the features.
 * `createVirtControllerRunnables()` connects them to shared caches and to the live configuration.
 * It contains no reconcile logic; leader election is in cmd/virt-controller.ts.
 */
export { createVirtControllerRunnables, type VirtControllerOptions, type VirtControllerRunnables } from './runnables.ts'

export { createVirtControllerRunnables, type VirtControllerOptions, type VirtControllerRunnables } from './runnables.ts'

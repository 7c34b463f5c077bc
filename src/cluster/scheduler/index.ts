export { createScheduler, type SchedulerOptions } from './scheduler.ts'
export { matchesNodeAffinity } from './node-affinity.ts'
export { untolerated } from '../taints/untolerated.ts'

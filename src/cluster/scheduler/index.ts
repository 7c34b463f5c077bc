export { createScheduler, type SchedulerOptions } from './scheduler.ts'
export { matchesNodeAffinity } from '#api/usage/node-affinity.ts'
export { untolerated } from '../taints/untolerated.ts'

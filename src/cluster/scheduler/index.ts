export { schedule, type Placement } from './schedule.ts'
export { createScheduler, type SchedulerOptions } from './scheduler.ts'
export { nodeState, type NodeState } from './node-state.ts'

export { createScheduler, type SchedulerOptions } from './scheduler.ts'

export { interceptEviction } from './intercept.ts'
export { evictionNames } from './names.ts'
export { evictionOutcome, type EvictionConfig, type EvictionOutcome } from './strategy.ts'

export { interceptEviction } from './intercept.ts'
export { fateOf, isFinal, type EvictionConfig } from './strategy.ts'

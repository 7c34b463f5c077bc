export { interceptEviction } from './intercept.ts'
export { evictionNames } from './names.ts'
export { fateOf, type EvictionConfig, type Fate } from './strategy.ts'

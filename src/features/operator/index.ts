export { validateInstallation, warnOfInstallation } from './admission.ts'
export { createOperator, type OperatorOptions } from './controller.ts'
export type { Preflight, Sight, Way } from './preflight.ts'
export { objectsOf, strategyOf, type Platform } from './strategy.ts'

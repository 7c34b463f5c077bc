export { validateInstallation, warnOfInstallation } from './admission.ts'
export { createOperator, type OperatorOptions } from './controller.ts'
export type { Preflight, Way } from './preflight.ts'

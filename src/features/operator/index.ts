export { createOperator, type OperatorOptions } from './controller.ts'

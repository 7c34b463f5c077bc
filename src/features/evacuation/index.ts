export { createEvacuationController } from './controller.ts'

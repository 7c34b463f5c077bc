export { createRevisionCollectorController } from './controller.ts'
export { createRevisionCollector } from './reconciler.ts'

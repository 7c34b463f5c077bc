export { createRevisionCollector, sharedByNamespace } from './reconciler.ts'

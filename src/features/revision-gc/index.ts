/**
 * Deletes shared ControllerRevisions that no object references any more. Entry point:
 * `createRevisionCollectorController`, which reconciles a namespace. Owned revisions are not
 * collected here: they are garbage-collected with their owner, and pruned by `vm`.
 */
export { createRevisionCollectorController } from './controller.ts'
export { createRevisionCollector } from './reconciler.ts'

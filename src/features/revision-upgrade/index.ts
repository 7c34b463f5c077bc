export { ownerUids, revisionsByOwner } from './indexes.ts'
export { createRevisionUpgradeReconciler } from './reconciler.ts'
export { referencesOf, revisionsNamedIn, startRevisionPrefix, type Reference } from './references.ts'

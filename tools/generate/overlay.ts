import { type Doc, noDoc } from './doc-comment.ts'

/** Markers of types outside of `src/api`, which know nothing of schemas. */
const markers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'ObjectMeta.generation': { format: 'int64' },
  'ObjectMeta.deletionGracePeriodSeconds': { format: 'int64' },
  'ObjectMeta.creationTimestamp': { format: 'date-time', nullable: '' },
  'ObjectMeta.deletionTimestamp': { format: 'date-time', nullable: '' },
  'ObjectMeta.ownerReferences': { listType: 'map key=uid', patchStrategy: 'merge key=uid' },
  'ObjectMeta.finalizers': { listType: 'set', patchStrategy: 'merge' },
  'ObjectMeta.managedFields': { listType: 'atomic' },
  OwnerReference: { mapType: 'atomic' },
  'ManagedFieldsEntry.time': { format: 'date-time' },
  'Condition.observedGeneration': { format: 'int64' },
  'Condition.lastProbeTime': { format: 'date-time' },
  'Condition.lastTransitionTime': { format: 'date-time' },
}

/**
 * The doc of an interface (`Interface`) or of one of its properties (`Interface.property`), with
 * the markers that are kept here.
 */
export function withOverlay(key: string, file: string, doc: Doc = noDoc): Doc {
  const more = file.startsWith('src/apimachinery/') ? markers[key] : undefined
  return more === undefined ? doc : { ...doc, markers: new Map([...doc.markers, ...Object.entries(more)]) }
}

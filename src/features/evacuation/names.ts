/**
 * Labels, annotations, taints and conditions of evacuations. KubeVirt's names, but for those of
 * `steadyvm.io`.
 */
export const evacuationNames = {
  /** On a migration: the node that it empties. */
  migrationAnnotation: 'kubevirt.io/evacuationMigration',
  /** On a node: guests that can move shall leave. */
  drainTaint: 'kubevirt.io/drain',
  /** On a VMI: its guest is asked to leave its node. */
  askedCondition: 'EvictionRequested',
  /** On a VMI: why its guest does not leave a node that it should leave. */
  blockedCondition: 'steadyvm.io/EvacuationBlocked',
} as const

/**
 * Labels, annotations, taints and conditions of evacuations. KubeVirt's names, except those of
 * `steadyvm.io`.
 */
export const evacuationNames = {
  /** On a migration: the node that it evacuates. */
  migrationAnnotation: 'kubevirt.io/evacuationMigration',
  /** On a node: migratable guests shall leave. */
  drainTaint: 'kubevirt.io/drain',
  /** On a VMI: an eviction of its pod was requested. */
  askedCondition: 'EvictionRequested',
  /** On a VMI: why its guest does not leave its node. */
  blockedCondition: 'steadyvm.io/EvacuationBlocked',
} as const

/** Annotations with the reason of an eviction. KubeVirt's names, except those of `steadyvm.io`. */
export const evictionNames = {
  /** On a VMI: origin of the eviction; only `descheduler` is distinguished. */
  sourceAnnotation: 'kubevirt.io/eviction-source',
  descheduler: 'descheduler',
  /** On a launcher pod: its guest is being migrated; the descheduler does not evict it again. */
  inProgressAnnotation: 'descheduler.alpha.kubernetes.io/eviction-in-progress',
  /**
   * On a VMI: the cordoned node that it is marked to leave. Uncordoning the node removes the mark.
   */
  cordonAnnotation: 'steadyvm.io/evacuated-from-cordoned',
} as const

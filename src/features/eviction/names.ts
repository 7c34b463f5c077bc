/**
 * Annotations that tell why a guest is to leave its node. KubeVirt's names, but for those of
 * `steadyvm.io`.
 */
export const evictionNames = {
  /** On a VMI: who has asked for the eviction; only `descheduler` is told apart. */
  sourceAnnotation: 'kubevirt.io/eviction-source',
  descheduler: 'descheduler',
  /** On a launcher pod: its guest is about to leave it, so that nobody need ask again. */
  inProgressAnnotation: 'descheduler.alpha.kubernetes.io/eviction-in-progress',
  /**
   * On a VMI: the cordoned node that it was to leave. When that node is open again, so is the
   * reason to leave.
   */
  cordonAnnotation: 'steadyvm.io/evacuated-from-cordoned',
} as const

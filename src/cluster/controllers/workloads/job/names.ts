/** Finalizer of a Job's pods: none may vanish before it is counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'

/** Label and annotation of a pod of an indexed Job. */
export const indexKey = 'batch.kubernetes.io/job-completion-index'

/** Annotation of a pod: failures of its index before it, of a Job with backoffLimitPerIndex. */
export const failureCountKey = 'batch.kubernetes.io/job-index-failure-count'

/** Annotation of a pod: failures of its index before it that its podFailurePolicy ignored. */
export const ignoredFailureCountKey = 'batch.kubernetes.io/job-index-ignored-failure-count'

/** Finalizer of a Job's pods: none may vanish before it is counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'

/** Label and annotation of a pod of an indexed Job. */
export const indexKey = 'batch.kubernetes.io/job-completion-index'

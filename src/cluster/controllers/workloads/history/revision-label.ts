/** Label on a pod and on a ControllerRevision: which template the pod was made from. */
export const revisionHashLabel = 'controller-revision-hash'

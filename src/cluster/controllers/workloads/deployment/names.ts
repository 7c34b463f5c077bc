/** Label on a ReplicaSet, its selector and its pods that distinguishes pod templates. */
export const templateHashLabel = 'pod-template-hash'

/** Annotation: number of the roll-out, on the Deployment and on each ReplicaSet. */
export const revisionAnnotation = 'deployment.kubernetes.io/revision'

/** Annotation: earlier numbers of a ReplicaSet that was rolled out again. */
export const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history'

/** Annotation: replicas of the Deployment when the ReplicaSet was last scaled. */
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas'

/** Annotation: most pods that the Deployment might have had when the ReplicaSet was last scaled. */
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas'

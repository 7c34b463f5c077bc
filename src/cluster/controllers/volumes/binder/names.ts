/**
 * Annotations by which binder, provisioners and scheduler talk to each other; the names are
 * Kubernetes'.
 */
export const names = {
  /** On claims: all steps of the binding were taken. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On claims and volumes: the binding is ours to undo. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On volumes: who made them, and is to remove them. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On claims: who is to make a volume. */
  storageProvisioner: 'volume.kubernetes.io/storage-provisioner',
  /** Same value for older provisioners. */
  betaStorageProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** On claims that wait for their first pod: the node that the scheduler has chosen for it. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  legacyClass: 'volume.beta.kubernetes.io/storage-class',
} as const

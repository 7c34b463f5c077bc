/** Labels, annotations and finalizers on VMIs and their pods. KubeVirt's names. */
export const names = {
  /** On a VMI: the node whose agent owns it. */
  nodeNameLabel: 'kubevirt.io/nodeName',
  /** On a pod: the uid of its VMI. */
  createdByLabel: 'kubevirt.io/created-by',
  /** On a pod: what it is. */
  appLabel: 'kubevirt.io',
  launcherApp: 'virt-launcher',
  /** On a pod: the name of its VMI. */
  domainAnnotation: 'kubevirt.io/domain',
  /** On a pod: `none` when its process finds its volumes below POD_DIR, and needs no mounts. */
  mountsAnnotation: 'steadyvm.io/mounts',
  /**
   * On a pod: whoever wants it moved asks by an eviction, and does not count on its coming to pass
   * at once. Read by the descheduler.
   */
  evictOnlyAnnotation: 'descheduler.alpha.kubernetes.io/request-evict-only',
  /** On a pod: the uid of the migration that it is a target of. */
  migrationJobLabel: 'kubevirt.io/migrationJobUID',
  /** On a pod: the name of that migration. */
  migrationJobAnnotation: 'kubevirt.io/migrationJobName',
  /** On a VMI: the node that it moves to. */
  migrationTargetLabel: 'kubevirt.io/migrationTargetNodeName',
  vmNameLabel: 'vm.kubevirt.io/name',
  finalizer: 'kubevirt.io/foregroundDeleteVirtualMachine',
  /**
   * On a node: the mark of the launcher of its agent's release. Guests in newer ones are not for
   * it.
   */
  releaseLabel: 'steadyvm.io/launcher-release',
  /** On a node: the image that the label is the mark of. */
  launcherImageAnnotation: 'steadyvm.io/launcher-image',
  /** On a node: whether guests may start there. */
  schedulableLabel: 'kubevirt.io/schedulable',
} as const

/** Selects launcher pods. */
export const launcherSelector: string = `${names.appLabel}=${names.launcherApp}`

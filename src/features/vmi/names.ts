/** Labels, annotations and finalizers of VMIs and their pods. KubeVirt's names. */
export const names = {
  /** On a VMI: the node whose agent owns it. */
  nodeNameLabel: 'kubevirt.io/nodeName',
  /** On a pod: UID of its VMI. */
  createdByLabel: 'kubevirt.io/created-by',
  /** On a pod: its role, `virt-launcher`. */
  appLabel: 'kubevirt.io',
  launcherApp: 'virt-launcher',
  /** Role of a pod that attaches a volume to the node of a launcher. */
  attachmentApp: 'hotplug-disk',
  /** On an attachment pod: name of the VMI. */
  attachedVmiAnnotation: 'kubevirt.io/owner-vmi-name',
  /** On an attachment pod: UID of the VMI. */
  attachedVmiUidAnnotation: 'kubevirt.io/owner-vmi-uid',
  /** On an attachment pod: the volume of the VMI that it is for. */
  attachedVolumeAnnotation: 'steadyvm.io/volume',
  /** On a pod: name of its VMI. */
  domainAnnotation: 'kubevirt.io/domain',
  /** On a pod: `none` when its process finds its volumes below POD_DIR and needs no mounts. */
  mountsAnnotation: 'steadyvm.io/mounts',
  /** On a pod: name by which it keeps its address in the pod network of machine mode. */
  podNetworkAnnotation: 'steadyvm.io/pod-network',
  /** On a pod: size of the guest that its resources are for. */
  guestSizeAnnotation: 'steadyvm.io/guest-size',
  /**
   * On a pod: eviction starts a migration and does not delete the pod at once. Read by the
   * descheduler.
   */
  evictOnlyAnnotation: 'descheduler.alpha.kubernetes.io/request-evict-only',
  /** On a target pod: UID of its migration. */
  migrationJobLabel: 'kubevirt.io/migrationJobUID',
  /** On a target pod: name of its migration. */
  migrationJobAnnotation: 'kubevirt.io/migrationJobName',
  /** On a VMI: target node of its migration. */
  migrationTargetLabel: 'kubevirt.io/migrationTargetNodeName',
  /** On a launcher pod: host name of the guest. Deprecated by KubeVirt. */
  vmNameLabel: 'vm.kubevirt.io/name',
  /** On a launcher pod: its VMI. Services select by it. */
  vmiIdLabel: 'vmi.kubevirt.io/id',
  finalizer: 'kubevirt.io/foregroundDeleteVirtualMachine',
  /**
   * On a node: hash of the launcher image of its agent's release. The agent refuses guests of newer
   * launchers.
   */
  releaseLabel: 'steadyvm.io/launcher-release',
  /** On a node: the image that the label is the hash of. */
  launcherImageAnnotation: 'steadyvm.io/launcher-image',
  /** On a node: whether guests may start there. */
  schedulableLabel: 'kubevirt.io/schedulable',
} as const

/** Selects launcher pods. */
export const launcherSelector: string = `${names.appLabel}=${names.launcherApp}`

/** KubeVirt's phases of the volume of a dump. The node agent writes them. */
export const dumpPhases = {
  inProgress: 'MemoryDumpInProgress',
  completed: 'MemoryDumpCompleted',
  failed: 'MemoryDumpFailed',
} as const

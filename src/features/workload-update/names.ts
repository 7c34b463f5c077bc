/**
 * Labels, annotations and conditions of workload updates. KubeVirt's names, but for those of
 * `steadyvm.io`.
 */
export const updateNames = {
  /** On a migration: it updates a guest. */
  migrationAnnotation: 'kubevirt.io/workloadUpdateMigration',
  /**
   * On a migration: the image that the guest is to run in; none when it only completes what was
   * plugged in.
   */
  imageAnnotation: 'steadyvm.io/update-to',
  /** On a migration: the class of the guest. */
  classAnnotation: 'steadyvm.io/update-class',
  /** On a VMI: its owner wants it left alone. */
  optOutAnnotation: 'kubevirt.io/workloadUpdateMigrationAbortion',
  /** On a VMI: its launcher is not the one of this release. */
  outdatedLabel: 'kubevirt.io/outdatedLauncherImage',
  /** On a VMI: what its update waits for. */
  pendingCondition: 'steadyvm.io/UpdatePending',
} as const

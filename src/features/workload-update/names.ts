/**
 * Labels, annotations and conditions of workload updates. KubeVirt's names, except those of
 * `steadyvm.io`.
 */
export const updateNames = {
  /** On a migration: it updates a guest. */
  migrationAnnotation: 'kubevirt.io/workloadUpdateMigration',
  /**
   * On a migration: the image that the guest is updated to; absent when it only completes a
   * hotplug.
   */
  imageAnnotation: 'steadyvm.io/update-to',
  /** On a migration: compatibility class of the guest. */
  classAnnotation: 'steadyvm.io/update-class',
  /** On a VMI: its owner has opted out. */
  optOutAnnotation: 'kubevirt.io/workloadUpdateMigrationAbortion',
  /** On a VMI: its launcher is not of this release. */
  outdatedLabel: 'kubevirt.io/outdatedLauncherImage',
  /** On a VMI: what its update waits for. */
  pendingCondition: 'steadyvm.io/UpdatePending',
} as const

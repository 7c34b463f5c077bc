import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** A way to make volumes. */
export interface StorageClass extends ApiObject {
  /** Provisioner of the volumes. */
  provisioner: string
  /** Settings for the provisioner. */
  parameters?: Record<string, string>
  /**
   * Policy for a volume when its claim goes.
   * @default Delete
   */
  reclaimPolicy?: string
  /**
   * Options of the mounts.
   * @listType atomic
   */
  mountOptions?: string[]
  /** Whether claims may grow. */
  allowVolumeExpansion?: boolean
  /**
   * Immediate or WaitForFirstConsumer.
   * @default Immediate
   */
  volumeBindingMode?: string
  /**
   * Where volumes can be made.
   * @listType atomic
   */
  allowedTopologies?: TopologySelectorTerm[]
}

/**
 * Chooses nodes by label.
 * @mapType atomic
 */
export interface TopologySelectorTerm {
  /**
   * All must match.
   * @listType atomic
   */
  matchLabelExpressions?: TopologySelectorLabelRequirement[]
}

/** A condition on a label. */
export interface TopologySelectorLabelRequirement {
  /** The label. */
  key: string
  /**
   * Values that will do.
   * @listType atomic
   */
  values: string[]
}

import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** Class of storage, with the provisioner and parameters for creating volumes. */
export interface StorageClass extends ApiObject {
  /** Provisioner of the volumes. */
  provisioner: string
  /** Parameters for the provisioner. */
  parameters?: Record<string, string>
  /**
   * Policy for a volume when its claim is deleted.
   * @default Delete
   */
  reclaimPolicy?: string
  /**
   * Mount options of the volumes.
   * @listType atomic
   */
  mountOptions?: string[]
  /** True if claims may be expanded. */
  allowVolumeExpansion?: boolean
  /**
   * Volume binding mode: Immediate or WaitForFirstConsumer.
   * @default Immediate
   */
  volumeBindingMode?: string
  /**
   * Topologies in which volumes can be created.
   * @listType atomic
   */
  allowedTopologies?: TopologySelectorTerm[]
}

/**
 * Selector of nodes by label.
 * @mapType atomic
 */
export interface TopologySelectorTerm {
  /**
   * Requirements on labels. All requirements must match.
   * @listType atomic
   */
  matchLabelExpressions?: TopologySelectorLabelRequirement[]
}

/** Requirement on a label. */
export interface TopologySelectorLabelRequirement {
  /** Key of the label. */
  key: string
  /**
   * Values of the label that match.
   * @listType atomic
   */
  values: string[]
}

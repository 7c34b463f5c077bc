import type { CommonInstancetypesDeployment, InstancetypeConfiguration } from '#api/kubevirt/v1/kubevirt.ts'
import type { RawObject } from '#api/scalars.ts'

/** Templates, boot images and instance types. */
export interface WorkloadSourcesConfig {
  /** Namespace of the common templates. */
  commonTemplatesNamespace?: string
  /** Namespace of the common boot images. */
  commonBootImageNamespace?: string
  /**
   * False stops the import of common boot images.
   * @default true
   */
  enableCommonBootImageImport?: boolean
  /** True imports boot images for all architectures of the nodes; false when absent. */
  enableMultiArchBootImageImport?: boolean
  /**
   * Boot images that are imported periodically, besides the common ones.
   * @listType atomic
   */
  dataImportCronTemplates?: DataImportCronTemplate[]
  /** Policy for the references of VMs to instance types. */
  instancetypeConfig?: InstancetypeConfiguration
  /** Installation of the bundled instance types. */
  commonInstancetypesDeployment?: CommonInstancetypesDeployment
}

/** Periodic import of a boot image. */
export interface DataImportCronTemplate {
  /** Name, labels and annotations of the DataImportCron. */
  metadata?: RawObject
  /** Spec of the DataImportCron. */
  spec?: RawObject | null
}

import type { StorageProfile, StorageProfileStatus } from '#api/cdi/v1beta1/storage-profile.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { capabilitiesOf } from './capabilities.ts'

/** Annotation of a profile: smallest volume of the provisioner. */
export const minimumSizeAnnotation = 'cdi.kubevirt.io/minimumSupportedPvcSize'

/**
 * Returns how volumes of a class are cloned: as its administrator wishes, else as its provisioner
 * does it best. Pure.
 */
export function cloneStrategyOf(profile: Pick<StorageProfile, 'spec'> | undefined, storageClass: StorageClass): string | undefined {
  return profile?.spec.cloneStrategy ?? capabilitiesOf(storageClass.provisioner, storageClass.parameters)?.cloneStrategy
}

/**
 * Returns the status of the profile of a class: what its administrator wishes, and the facts of the
 * provisioner for the rest. Pure.
 */
export function profileStatusOf(profile: StorageProfile, storageClass: StorageClass, now: string): StorageProfileStatus {
  const { spec, status } = profile
  const found = capabilitiesOf(storageClass.provisioner, storageClass.parameters)
  const sets = spec.claimPropertySets ?? found?.sets
  const cloneStrategy = cloneStrategyOf(profile, storageClass)
  const recognized = {
    type: 'Recognized',
    status: found === undefined ? 'False' : 'True',
    reason: found === undefined ? 'UnrecognizedProvisioner' : 'RecognizedProvisioner',
    message:
      found === undefined
        ? `The provisioner "${storageClass.provisioner}" is not known: set claimPropertySets in the spec`
        : 'The provisioner is known',
  }
  return {
    storageClass: storageClass.metadata.name ?? '',
    provisioner: storageClass.provisioner,
    ...(cloneStrategy === undefined ? {} : { cloneStrategy }),
    ...(sets === undefined ? {} : { claimPropertySets: sets.map((set) => ({ ...set })) }),
    // The only format in which imports are kept.
    dataImportCronSourceFormat: 'pvc',
    ...(spec.snapshotClass === undefined ? {} : { snapshotClass: spec.snapshotClass }),
    conditions: setCondition(status?.conditions, recognized, now),
  }
}

/** Returns warnings about wishes that are not acted on. Pure. */
export function warnOfStorageProfile({ spec }: StorageProfile): readonly string[] {
  const { dataImportCronSourceFormat = 'pvc', cloneStrategy = 'copy', snapshotClass } = spec
  return [
    ...(dataImportCronSourceFormat === 'pvc'
      ? []
      : [
          `spec.dataImportCronSourceFormat is "${dataImportCronSourceFormat}": DataImportCrons keep imports as PersistentVolumeClaims only`,
        ]),
    ...(['copy', 'csi-clone'].includes(cloneStrategy)
      ? []
      : [`spec.cloneStrategy is "${cloneStrategy}": volumes are copied by workers, or with "csi-clone" by their driver`]),
    ...(snapshotClass === undefined ? [] : ['spec.snapshotClass is kept, but volumes are not cloned by way of snapshots']),
  ]
}

/** Returns the smallest volume of a class. Pure. */
export function minimumSizeOf(storageClass: StorageClass): string | undefined {
  return capabilitiesOf(storageClass.provisioner, storageClass.parameters)?.minimum
}

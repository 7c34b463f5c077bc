import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { forbidden } from '#apimachinery/errors.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AdmissionPlugin } from '../chain.ts'

const claimsKey = '/persistentvolumeclaims'
const classesKey = 'storage.k8s.io/storageclasses'

/** Allows claims to grow only where their storage class has allowVolumeExpansion. */
export function createClaimResize(store: ObjectStore): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    resources: new Set([claimsKey]),
    validate({ operation, target, object, old }) {
      if (operation !== 'UPDATE' || target.subresource !== '') return
      const claim = object as PersistentVolumeClaim
      if (sizeOf(claim) <= sizeOf(old as PersistentVolumeClaim)) return
      const found = store.get(classesKey, '', claim.spec?.storageClassName ?? '')?.object as StorageClass | undefined
      if (found?.allowVolumeExpansion === true) return
      const why = 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
      throw forbidden(target.definition, target.name, why)
    },
  }
}

function sizeOf({ spec }: PersistentVolumeClaim): bigint {
  return parseQuantity(spec?.resources?.requests?.['storage'] ?? '0').nanos
}

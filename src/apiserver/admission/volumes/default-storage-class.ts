import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AdmissionPlugin } from '../chain.ts'

const claimsKey = '/persistentvolumeclaims'
const classesKey = 'storage.k8s.io/storageclasses'
const defaultAnnotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
const legacyClass = 'volume.beta.kubernetes.io/storage-class'

/**
 * Sets the default storage class, of several the newest, in claims without a class. An empty name
 * means none.
 */
export function createDefaultStorageClass(store: ObjectStore): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    resources: new Set([claimsKey]),
    mutate({ operation, target, object }) {
      if (operation !== 'CREATE' || target.subresource !== '') return undefined
      const claim = object as PersistentVolumeClaim
      if (claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[legacyClass] !== undefined) return undefined
      const found = defaultClass(store)
      if (found === undefined) return undefined
      const next: PersistentVolumeClaim = { ...claim, spec: { ...claim.spec, storageClassName: found } }
      return next
    },
  }
}

function defaultClass(store: ObjectStore): string | undefined {
  const age = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? ''
  const name = ({ metadata }: StorageClass): string => metadata.name ?? ''
  const [newest] = store
    .list(classesKey)
    .map(({ object }) => object as StorageClass)
    .filter(({ metadata }) => defaultAnnotations.some((key) => metadata.annotations?.[key] === 'true'))
    .toSorted((a, b) => (age(a) === age(b) ? (name(a) < name(b) ? -1 : 1) : age(a) > age(b) ? -1 : 1))
  return newest === undefined ? undefined : name(newest)
}

import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionPlugin } from '../chain.ts'

const finalizers: ReadonlyMap<string, string> = new Map([
  ['/persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['/persistentvolumes', 'kubernetes.io/pv-protection'],
])

/** Adds finalizers to claims and volumes, which controllers remove when nothing uses them. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  resources: new Set(finalizers.keys()),
  mutate({ operation, target, object }) {
    const finalizer = finalizers.get(target.definition.storageKey)
    if (operation !== 'CREATE' || finalizer === undefined || target.subresource !== '') return undefined
    const present = object?.metadata?.finalizers ?? []
    if (present.includes(finalizer)) return undefined
    const next: KubeObject = { ...object, metadata: { ...object?.metadata, finalizers: [...present, finalizer] } }
    return next
  },
}

import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import { formatQuantity, parseQuantity, quantityFromBytes, quantityToBytes } from '#apimachinery/quantity.ts'
import type { CloneChoice } from '../clone/choose-clone.ts'
import { names } from '../names.ts'

/**
 * Returns a claim as that of a copy: with why a worker copies, or with the source from which its
 * driver fills it. That begins with the size of the source, and grows. Pure.
 */
export function asClone(claim: PersistentVolumeClaim, source: DataVolumeSource, clone: CloneChoice): PersistentVolumeClaim {
  const { metadata, spec = {} } = claim
  if (clone.by === 'worker') {
    const reason = clone.reason === undefined ? {} : { [names.cloneFallback]: clone.reason.message }
    return { ...claim, metadata: { ...metadata, annotations: { ...metadata.annotations, [names.cloneType]: 'copy', ...reason } } }
  }
  const wanted = spec.resources?.requests?.['storage']
  const mustGrow = wanted !== undefined && clone.bytes > 0n && clone.bytes < quantityToBytes(parseQuantity(wanted))
  const marks = { [names.cloneType]: clone.type, ...(mustGrow ? { [names.wantedSize]: String(wanted) } : {}) }
  const cloned: PersistentVolumeClaimSpec = { ...spec, dataSource: dataSourceOf(source) }
  const storage = formatQuantity(quantityFromBytes(clone.bytes))
  return {
    ...claim,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...marks } },
    spec: mustGrow ? { ...cloned, resources: { ...spec.resources, requests: { ...spec.resources?.requests, storage } } } : cloned,
  }
}

function dataSourceOf({ pvc, snapshot }: DataVolumeSource): NonNullable<PersistentVolumeClaimSpec['dataSource']> {
  if (pvc !== undefined) return { kind: 'PersistentVolumeClaim', name: pvc.name }
  return { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: snapshot?.name ?? '' }
}

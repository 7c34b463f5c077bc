import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { CloneChoice } from '../clone/choose-clone.ts'
import { instancetypeLabels, names } from '../names.ts'
import { isPopulatedOutside } from '../source/source.ts'
import { asClone } from './cloned-claim.ts'

/** Returns the reference by which a DataVolume owns its claim and its worker. */
export function ownerReferenceTo({ metadata: { name = '', uid = '' } }: DataVolume): OwnerReference {
  return { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', name, uid, controller: true, blockOwnerDeletion: true }
}

/** What the claim of a DataVolume is made of. */
export interface ClaimRequest {
  readonly spec: PersistentVolumeClaimSpec
  readonly source: DataVolumeSource | undefined
  /** Who copies the source. Undefined for sources that are not copied. */
  readonly clone?: CloneChoice
  readonly preallocation: boolean
  /** Labels of the volume that is copied, or of the DataSource. */
  readonly sourceLabels: Readonly<Record<string, string>>
}

/** Returns the claim of a DataVolume. Pure. */
export function claimOf(dataVolume: DataVolume, { spec, source, clone, preallocation, sourceLabels }: ClaimRequest): PersistentVolumeClaim {
  const { name = '', namespace = '', labels, annotations = {}, uid = '' } = dataVolume.metadata
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...copied } = annotations
  const inherited = Object.fromEntries(Object.entries(sourceLabels).filter(([key]) => instancetypeLabels.includes(key)))
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      labels: { ...inherited, ...labels, app: 'containerized-data-importer' },
      annotations: {
        ...copied,
        [names.createdFor]: uid,
        [names.contentType]: dataVolume.spec.contentType ?? 'kubevirt',
        [names.podRestarts]: '0',
        ...(preallocation ? { [names.preallocationRequested]: 'true' } : {}),
        ...(isPopulatedOutside(dataVolume.spec) ? { [names.externalPopulation]: 'true' } : annotationsOf(source)),
      },
      ownerReferences: [ownerReferenceTo(dataVolume)],
    },
    spec,
  }
  return clone === undefined ? claim : asClone(claim, source ?? {}, clone)
}

/** CDI's annotations about the source, without anything secret. */
function annotationsOf({ http, s3, registry, pvc, snapshot, blank, upload }: DataVolumeSource = {}): Record<string, string> {
  if (http !== undefined) {
    const { checksum, url } = http
    return { [names.source]: 'http', [names.endpoint]: withoutUser(url), ...(checksum === undefined ? {} : { [names.checksum]: checksum }) }
  }
  if (s3 !== undefined) return { [names.source]: 's3', [names.endpoint]: withoutUser(s3.url) }
  if (registry !== undefined) return { [names.source]: 'registry', [names.endpoint]: withoutUser(registry.url) }
  if (pvc !== undefined) return { [names.cloneRequest]: `${pvc.namespace}/${pvc.name}` }
  if (snapshot !== undefined) return { [names.snapshotRequest]: `${snapshot.namespace}/${snapshot.name}` }
  if (upload !== undefined) return { [names.uploadTarget]: '' }
  return blank === undefined ? {} : { [names.source]: 'none' }
}

/** The DataVolume shows what its author wrote; copies show no password. */
function withoutUser(url: string = ''): string {
  return url.replace(/^([a-z0-9+.-]+:\/\/)[^/@]*@/i, '$1')
}

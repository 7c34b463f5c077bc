import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { names } from '../names.ts'

/** Returns the name of the DataVolume that fills a claim. */
export function dataVolumeOf(claim: PersistentVolumeClaim): string | undefined {
  const owner = controllerOf(claim)
  return owner?.kind === 'DataVolume' && owner.apiVersion.startsWith('cdi.kubevirt.io/') ? owner.name : undefined
}

/**
 * Reports whether a claim holds a disk, by KubeVirt's rules: a block device, or what CDI filled
 * with a disk. KubeVirt exports the folders of all other claims. Here the claims that a VM has as
 * disks hold disks, too: without CDI there would be none. Pure.
 */
export function holdsDisk(claim: PersistentVolumeClaim, dataVolume: DataVolume | undefined, isDiskOfVm: boolean): boolean {
  if (claim.spec?.volumeMode === 'Block') return true
  const noted = claim.metadata.annotations?.[names.contentType]
  if (noted !== undefined) return isKubeVirt(noted)
  if (dataVolume !== undefined) return isKubeVirt(dataVolume.spec.contentType)
  return isDiskOfVm
}

function isKubeVirt(contentType: string | undefined): boolean {
  return contentType === undefined || contentType === '' || contentType === 'kubevirt'
}

/** Reports whether a claim has its content: one that a DataVolume fills, only at the end. Pure. */
export function isFilled(claim: PersistentVolumeClaim, dataVolume: DataVolume | undefined): boolean {
  return dataVolumeOf(claim) === undefined || dataVolume?.status?.phase === 'Succeeded'
}

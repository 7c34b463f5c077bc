import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { DataVolumeTemplateSpec, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { ownerReferenceTo } from '#features/instancetype/index.ts'

const adoptionAnnotation = 'cdi.kubevirt.io/allowClaimAdoption'
const createdByLabel = 'kubevirt.io/created-by'

/**
 * Returns the DataVolume of a template. `copied`: what a `sourceRef` points to now; the DataVolume
 * is a copy of that, whatever the DataSource points to later. Claims that exist are taken over,
 * such as those of a backup. Pure.
 */
export function dataVolumeOf(
  vm: VirtualMachine,
  { metadata, spec }: DataVolumeTemplateSpec,
  copied: DataVolumeSource | undefined,
): DataVolume {
  const { namespace = '', uid = '' } = vm.metadata
  const { sourceRef, ...rest } = spec
  const priority = vm.spec.template.spec.priorityClassName ?? ''
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      name: metadata?.name ?? '',
      namespace,
      labels: { ...metadata?.labels, [createdByLabel]: uid },
      annotations: { ...metadata?.annotations, [adoptionAnnotation]: 'true' },
      ownerReferences: [ownerReferenceTo(vm)],
    },
    spec: {
      ...rest,
      ...(copied === undefined ? (sourceRef === undefined ? {} : { sourceRef }) : { source: copied }),
      ...((spec.priorityClassName ?? '') === '' && priority !== '' ? { priorityClassName: priority } : {}),
    },
  }
}

/** Returns the service account of a VM: that of a volume, or `default`. Pure. */
export function serviceAccountOf({ spec }: VirtualMachine): string {
  const volume = spec.template.spec.volumes?.find(({ serviceAccount }) => serviceAccount !== undefined)
  return volume?.serviceAccount?.serviceAccountName ?? 'default'
}

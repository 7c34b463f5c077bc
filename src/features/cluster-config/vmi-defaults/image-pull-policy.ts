import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/**
 * Pull policy of containerDisks: images without tag, or tagged `latest`, may change, others not.
 */
export function completePullPoliciesInto(spec: VirtualMachineInstanceSpec): void {
  for (const volume of spec.volumes ?? []) {
    if (volume.containerDisk?.image)
      volume.containerDisk.imagePullPolicy ||= isMoving(volume.containerDisk.image) ? 'Always' : 'IfNotPresent'
  }
}

function isMoving(image: string): boolean {
  if (image.includes('@')) return false
  const name = image.slice(image.lastIndexOf('/') + 1)
  return !name.includes(':') || name.endsWith(':latest')
}

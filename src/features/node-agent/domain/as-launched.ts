import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { diskVolume } from '#features/vmi/index.ts'

/**
 * Returns the VMI with volumes that its launcher pod mounts as such that cannot be plugged: pods
 * that an earlier release has made mount also those that can. Pure.
 */
export function asLaunched(vmi: VirtualMachineInstance, pod: Pod | undefined): VirtualMachineInstance {
  const mounted = new Set((pod?.spec.volumes ?? []).map(({ name }) => name))
  const { volumes } = vmi.spec
  if (volumes?.some((volume) => isPluggable(volume) && mounted.has(diskVolume(volume.name))) !== true) return vmi
  return {
    ...vmi,
    spec: { ...vmi.spec, volumes: volumes.map((volume) => (mounted.has(diskVolume(volume.name)) ? fixed(volume) : volume)) },
  }
}

function isPluggable({ persistentVolumeClaim, dataVolume }: Volume): boolean {
  return (persistentVolumeClaim ?? dataVolume)?.hotpluggable === true
}

function fixed({ persistentVolumeClaim, dataVolume, ...volume }: Volume): Volume {
  return {
    ...volume,
    ...(persistentVolumeClaim === undefined ? {} : { persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: false } }),
    ...(dataVolume === undefined ? {} : { dataVolume: { ...dataVolume, hotpluggable: false } }),
  }
}

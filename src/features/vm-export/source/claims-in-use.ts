import { claimsOfPod } from '#api/core/v1/pod-claims.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { claimNameOf } from '#features/vmi/index.ts'

/** Reports whether a VMI has or will have a guest. Pure. */
export function isActive({ status }: Pick<VirtualMachineInstance, 'status'>): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
}

/**
 * Returns the claims that are written to: by guests, from the creation of their VMI on, and by
 * pods, as far as is known. Pods of exports only read; in KubeVirt a second export of a claim waits
 * for the end of the first one. Pure.
 */
export function claimsInUse(vmis: readonly VirtualMachineInstance[], pods: readonly Pod[]): ReadonlySet<string> {
  return new Set([
    ...vmis.filter(isActive).flatMap(({ spec }) => (spec.volumes ?? []).flatMap((volume) => claimNameOf(volume) ?? [])),
    ...pods
      .filter(
        (pod) => pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed' && controllerOf(pod)?.kind !== 'VirtualMachineExport',
      )
      .flatMap((pod) => claimsOfPod(pod).map(({ name }) => name)),
  ])
}

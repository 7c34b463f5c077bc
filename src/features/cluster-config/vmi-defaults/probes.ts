import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Sets the counts and seconds that a probe leaves out, as those of containers. */
export function completeProbesInto({ readinessProbe, livenessProbe }: VirtualMachineInstanceSpec): void {
  for (const probe of [readinessProbe, livenessProbe]) {
    if (probe === undefined) continue
    probe.timeoutSeconds = atLeastOne(probe.timeoutSeconds, 1)
    probe.periodSeconds = atLeastOne(probe.periodSeconds, 10)
    probe.successThreshold = atLeastOne(probe.successThreshold, 1)
    probe.failureThreshold = atLeastOne(probe.failureThreshold, 3)
  }
}

function atLeastOne(value: number | undefined, unset: number): number {
  return value === undefined || value < 1 ? unset : value
}

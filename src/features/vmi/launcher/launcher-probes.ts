import type { Container, Probe as ContainerProbe } from '#api/core/v1/container.ts'
import type { Probe } from '#api/kubevirt/v1/probe.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { probeCommand, startupCommand, type GuestProbe } from '#features/launcher/index.ts'

/** Seconds that a guest is given before its first liveness probe, as in KubeVirt. */
const startupSeconds = 10

/**
 * Returns the probes of a launcher. The kubelet connects to the guest by the address of the pod;
 * probes by the guest's agent are carried out by the node agent, and the kubelet asks for their
 * last result. Pure.
 */
export function probesOf({
  readinessProbe,
  livenessProbe,
}: VirtualMachineInstanceSpec): Pick<Container, 'readinessProbe' | 'livenessProbe' | 'startupProbe'> {
  return {
    ...(readinessProbe === undefined ? {} : { readinessProbe: probeOf('readiness', readinessProbe) }),
    ...(livenessProbe === undefined
      ? {}
      : {
          startupProbe: untilItRuns,
          livenessProbe: {
            ...probeOf('liveness', livenessProbe),
            initialDelaySeconds: (livenessProbe.initialDelaySeconds ?? 0) + startupSeconds,
          },
        }),
  }
}

/** Otherwise a guest on its way would be found dead in the pod that it comes to. */
const untilItRuns: ContainerProbe = {
  exec: { command: startupCommand() },
  periodSeconds: 1,
  timeoutSeconds: 5,
  failureThreshold: 2_147_483_647,
}

function probeOf(kind: GuestProbe, { exec, guestAgentPing, ...probe }: Probe): ContainerProbe {
  const isByAgent = exec !== undefined || guestAgentPing !== undefined
  // The time-out is that of the guest's answer, which the node agent applies.
  return isByAgent ? { ...probe, timeoutSeconds: 5, exec: { command: probeCommand(kind) } } : probe
}

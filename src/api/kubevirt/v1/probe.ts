import type { ExecAction, HTTPGetAction, TCPSocketAction } from '#api/core/v1/container.ts'
import type { Int32 } from '#api/scalars.ts'

/** Health check of a guest. */
export interface Probe {
  /** Command that is executed in the guest. */
  exec?: ExecAction
  /** Ping of the QEMU guest agent. */
  guestAgentPing?: GuestAgentPing
  /** HTTP GET request. */
  httpGet?: HTTPGetAction
  /** TCP connection. */
  tcpSocket?: TCPSocketAction
  /** Delay in seconds from the start of the guest to the first probe. */
  initialDelaySeconds?: Int32
  /** Timeout of a probe in seconds; 1 when absent. */
  timeoutSeconds?: Int32
  /** Interval between two probes in seconds; 10 when absent. */
  periodSeconds?: Int32
  /** Number of consecutive successes after which the guest is healthy; 1 when absent. */
  successThreshold?: Int32
  /** Number of consecutive failures after which the guest is unhealthy; 3 when absent. */
  failureThreshold?: Int32
}

/** Ping of the guest agent. No fields; the presence of the object selects the probe. */
export interface GuestAgentPing {}

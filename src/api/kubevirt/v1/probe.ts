import type { ExecAction, HTTPGetAction, TCPSocketAction } from '#api/core/v1/container.ts'
import type { Int32 } from '#api/scalars.ts'

/** A question to a guest about its health. */
export interface Probe {
  /** A command in the guest. */
  exec?: ExecAction
  /** A call of the guest agent. */
  guestAgentPing?: GuestAgentPing
  /** An HTTP GET. */
  httpGet?: HTTPGetAction
  /** A TCP connection. */
  tcpSocket?: TCPSocketAction
  /** Seconds to wait after the start. */
  initialDelaySeconds?: Int32
  /** Seconds until an answer is overdue; 1 when absent. */
  timeoutSeconds?: Int32
  /** Seconds between two probes; 10 when absent. */
  periodSeconds?: Int32
  /** Successes in a row that make it healthy; 1 when absent. */
  successThreshold?: Int32
  /** Failures in a row that make it unhealthy; 3 when absent. */
  failureThreshold?: Int32
}

/** No settings: presence chooses it. */
export interface GuestAgentPing {}

/** Annotations of node agents' heartbeats. KubeVirt's names, except those of `steadyvm.io`. */
export const healthNames = {
  /** On a node: time of the last heartbeat, in quotes. */
  heartbeatAnnotation: 'kubevirt.io/heartbeat',
  /** On a node: until when its agent may be silent because it is being replaced. */
  plannedAnnotation: 'steadyvm.io/agent-restart-until',
  /** On a node: report of its agent, written with each heartbeat. */
  wordAnnotation: 'steadyvm.io/agent',
} as const

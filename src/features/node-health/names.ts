/**
 * Annotations by which node agents are known to be alive. KubeVirt's names, but for those of
 * `steadyvm.io`.
 */
export const healthNames = {
  /** On a node: when its agent was last heard of, in quotes. */
  heartbeatAnnotation: 'kubevirt.io/heartbeat',
  /** On a node: until when its agent may be silent, because somebody replaces it. */
  plannedAnnotation: 'steadyvm.io/agent-restart-until',
  /** On a node: what its agent says of itself, with each heartbeat. */
  wordAnnotation: 'steadyvm.io/agent',
} as const

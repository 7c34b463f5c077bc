import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import { stages, type Stage } from './decide.ts'
import type { DeploymentState } from './deployments.ts'
import type { NodeAgentsDecision } from './node-agents.ts'

/** The components of a release that was complete before. */
export interface ReconfigurationObservation {
  /** The DaemonSet of the node agents. */
  readonly daemonSet: Pick<DaemonSet, 'metadata' | 'status'> | undefined
  readonly agentsWanted: boolean
  readonly agents: Pick<NodeAgentsDecision, 'state' | 'outdated'>
  readonly controllers: Pick<DeploymentState, 'isReplacing' | 'isRolled'>
  readonly api: Pick<DeploymentState, 'isReplacing' | 'isRolled'>
  /** True if the last status reported a reconfiguration. */
  readonly wasReported: boolean
}

/**
 * Returns the components that a changed configuration replaces, until all of them are ready. A pod
 * that ended or was deleted begins no reconfiguration: its replacement has the same template. Pure.
 */
export function reconfiguredStages(observed: ReconfigurationObservation): readonly Stage[] {
  const { daemonSet, agentsWanted, agents, controllers, api, wasReported } = observed
  const isObserved = (daemonSet?.status?.observedGeneration ?? 0) >= (daemonSet?.metadata.generation ?? 1)
  const isReplacing: Record<Stage, boolean> = {
    NodeAgents: !agentsWanted || !isObserved || agents.outdated > 0,
    Controllers: controllers.isReplacing,
    API: api.isReplacing,
  }
  const isReady: Record<Stage, boolean> = {
    NodeAgents: agents.state === 'done',
    Controllers: controllers.isRolled,
    API: api.isRolled,
  }
  if (!wasReported && stages.every((stage) => !isReplacing[stage])) return []
  return stages.filter((stage) => isReplacing[stage] || !isReady[stage])
}

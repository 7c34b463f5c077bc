import { findCondition } from '#apimachinery/conditions.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Why a launcher pod has not got the size of its guest. */
export interface ResizeObstacle {
  /**
   * `NotSupported` by the cluster, `Refused` by its API server, or what its kubelet says:
   * `Infeasible`, `Deferred` until there is room, `Error`.
   */
  readonly reason: string
  readonly message: string
}

/**
 * Condition of steadyvm: False while the pod of a guest whose size has changed requests less than
 * the guest uses. A guest of which the pod's limit allows no more waits for a migration.
 */
export const podResizedCondition = 'steadyvm.io/PodResized'

/**
 * Returns the condition for an obstacle, or for what the kubelet reports; undefined for neither.
 */
export function resizedCondition(pod: Pod, obstacle: ResizeObstacle | undefined): VirtualMachineInstanceCondition | undefined {
  const why = obstacle ?? kubeletObstacle(pod)
  if (why === undefined) return undefined
  const message = `the launcher pod requests less than its guest may use until the guest migrates or starts again: ${why.message}`
  return { type: podResizedCondition, status: 'False', reason: why.reason, message, lastProbeTime: null }
}

/** Returns why the pod of a guest does not get its size; undefined when it has it, or soon will. */
export function podResizeObstacle({ status }: Pick<VirtualMachineInstance, 'status'>): string | undefined {
  const condition = findCondition(status?.conditions, podResizedCondition)
  return condition?.status === 'False' ? (condition.message ?? '') : undefined
}

function kubeletObstacle({ status }: Pod): ResizeObstacle | undefined {
  const pending = findCondition(status?.conditions, 'PodResizePending')
  const shown = pending?.status === 'True' ? pending : findCondition(status?.conditions, 'PodResizeInProgress')
  const { reason = '', message = '' } = shown ?? {}
  // A resize in progress has a reason only when it fails.
  return reason === '' ? undefined : { reason, message: message === '' ? reason : message }
}

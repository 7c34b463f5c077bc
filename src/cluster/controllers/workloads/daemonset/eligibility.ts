import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Node } from '#api/core/v1/node.ts'
import { matchesNodeAffinity, untolerated } from '#cluster/scheduler/index.ts'
import { daemonTolerations } from './daemon-pod.ts'

/**
 * Decision about the daemon pod of a node: whether it should run, and whether an existing one may
 * stay.
 */
export interface Eligibility {
  readonly shouldRun: boolean
  readonly mayStay: boolean
}

/** Evaluates the template's node selector and affinity, and the node's taints. Pure. */
export function eligibilityOf(daemonSet: DaemonSet, node: Node): Eligibility {
  const { spec } = daemonSet.spec.template
  const wanted = spec.nodeName ?? ''
  if (wanted !== '' && wanted !== node.metadata.name) return { shouldRun: false, mayStay: false }
  if (!matchesNodeAffinity({ spec }, node)) return { shouldRun: false, mayStay: false }
  const bears = daemonTolerations(daemonSet)
  const taints = node.spec?.taints ?? []
  const shouldRun = untolerated(taints, bears, ['NoSchedule', 'NoExecute']) === undefined
  return { shouldRun, mayStay: shouldRun || untolerated(taints, bears, ['NoExecute']) === undefined }
}

import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Expansion } from '#features/instancetype/index.ts'
import type { Decision } from './decide.ts'
import { hasDump, type DumpDecision } from './memory-dump/decide.ts'
import type { Classification, FieldChange } from './live-update/classify.ts'
import { liveUpdateObstacle } from './live-update/vmi-patch.ts'
import type { Prepared } from './revisions/pin.ts'
import type { Failure } from './status/conditions.ts'

/**
 * A pass over one VM: what was observed and decided. Steps return it with what they have changed.
 */
export interface Pass extends Prepared {
  readonly vmi: VirtualMachineInstance | undefined
  readonly decision: Decision
  /** Effect of the VM's changes on its running guest. Undefined when it is unknown. */
  readonly classification: Classification | undefined
  /** The VM is neither being deleted nor being restored, so that its revisions are looked after. */
  readonly isSettled: boolean
  /** Set once the request for a dump was looked at. */
  readonly dump?: DumpDecision
}

/** One write, or group of writes, of a pass. */
export type Step =
  | { readonly kind: 'start'; readonly paused: boolean; readonly expansion: Expansion }
  | { readonly kind: 'stop'; readonly vmi: VirtualMachineInstance }
  /** Remove the finalizer: no VMI is left. */
  | { readonly kind: 'release' }
  | {
      readonly kind: 'updateLive'
      readonly vmi: VirtualMachineInstance
      readonly expansion: Expansion
      readonly fields: readonly FieldChange[]
    }
  /** Report why a live update has to wait. */
  | { readonly kind: 'postponeUpdate'; readonly failure: Failure }
  /** Attach or detach the claim that the memory is dumped to. */
  | { readonly kind: 'dumpMemory' }
  /** Write the VM's status. */
  | { readonly kind: 'report' }
  /** Delete the revisions of earlier starts: without a VMI nothing refers to them. */
  | { readonly kind: 'deleteStartRevisions' }
  /** Delete captured revisions beyond the history limit. */
  | { readonly kind: 'prune' }

/**
 * Returns the steps of a pass, in order. Reads nothing but its argument.
 *
 * | action      | steps                                                                        |
 * |-------------|------------------------------------------------------------------------------|
 * | start       | start, report, prune; without start while the VM cannot be prepared          |
 * | stop        | report, stop, prune: the VMI holds the only evidence that it has failed      |
 * | release     | release, prune: the VM is gone afterwards, so that there is nothing to report |
 * | wait        | report, prune                                                                |
 * | none        | updateLive or postponeUpdate if the spec has live changes, report, prune     |
 * | none, no VMI | report, deleteStartRevisions, prune                                         |
 *
 * A VM that is being deleted or restored keeps all its revisions: nothing is pruned, and no memory
 * is dumped. Otherwise dumpMemory comes before report, when there is a request.
 */
export function stepsOf(pass: Pass): readonly Step[] {
  const prune: readonly Step[] = pass.isSettled ? [{ kind: 'prune' }] : []
  const dump = pass.isSettled ? dumpOf(pass) : []
  const { action } = pass.decision
  const { expansion, failure, vmi } = pass
  const report: Step = { kind: 'report' }
  switch (action.kind) {
    case 'start': {
      const canStart = failure === undefined && expansion !== undefined
      return [...(canStart ? [{ kind: 'start', paused: action.paused, expansion } as const] : []), ...dump, report, ...prune]
    }
    case 'stop':
      return [...dump, report, { kind: 'stop', vmi: action.vmi }, ...prune]
    case 'release':
      return [{ kind: 'release' }, ...prune]
    case 'wait':
      return [...dump, report, ...prune]
    case 'none': {
      const isIdle = vmi === undefined && pass.isSettled
      return [...liveUpdateOf(pass), ...dump, report, ...(isIdle ? [{ kind: 'deleteStartRevisions' } as const] : []), ...prune]
    }
  }
}

function dumpOf({ vm, vmi }: Pass): readonly Step[] {
  const { memoryDumpRequest: request } = vm.status ?? {}
  if (!request && (vmi === undefined || !hasDump(vmi))) return []
  return [{ kind: 'dumpMemory' }]
}

function liveUpdateOf({ vmi, expansion, classification }: Pass): readonly Step[] {
  if (vmi === undefined || expansion === undefined || classification?.kind !== 'live') return []
  const { fields } = classification
  const failure = liveUpdateObstacle(vmi, fields)
  return [failure === undefined ? { kind: 'updateLive', vmi, expansion, fields } : { kind: 'postponeUpdate', failure }]
}

import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { observe } from './observe.ts'
import type { Ports } from './ports.ts'
import { createUpgradeReporter } from './report.ts'

/**
 * Creates the reconciler that brings the revisions of VMs to the required format: the newest API
 * version, and owned or shared. Independent of the state of the VM, and visible in its status only.
 */
export function createRevisionUpgradeReconciler(shared: Ports): Reconciler {
  const report = createUpgradeReporter(shared.recorder)
  return async (request, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const observed = await observe(ports, request)
    if (observed === undefined) {
      report.forget(request)
      return done
    }
    const decision = decide(observed)
    if (report.problems(observed.vm, decision.problems)) for (const { family } of decision.problems) ports.count?.(family, 'failed')
    try {
      const { renames } = await act(ports, observed, decision)
      report.moved(observed.vm, renames)
      for (const { old, family } of decision.replacements) if (renames.has(old)) ports.count?.(family, 'upgraded')
    } catch (error) {
      // A pass that was cancelled says nothing about the VM.
      if (signal.aborted) throw error
      if (report.failed(observed.vm, error)) for (const { family } of decision.replacements) ports.count?.(family, 'failed')
      throw error
    }
    return done
  }
}

import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { HyperConvergedStatus } from '#api/hco/v1/status.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { Outcome } from '../reconcile/act.ts'
import { removalMessage } from '../components/objects/state.ts'

/**
 * Reports whether an object is one of several of a component. Their creation and removal is no
 * event: a recorder drops the events of an object after 25, and these would displace others.
 */
const isPart = (name: string): boolean => name.includes('/')

/** Records what was written, and what others had changed. */
export function recordWrites(recorder: Pick<Recorder, 'event'>, hyperconverged: HyperConverged, outcomes: readonly Outcome[]): void {
  for (const { decision, written } of outcomes) {
    const { step, observed } = decision
    if (step.kind !== 'apply' || written === undefined) continue
    const object = `${observed.component.kind} ${written.metadata?.name ?? ''}`
    switch (step.cause) {
      case 'create':
        if (!isPart(observed.component.name)) recorder.event(hyperconverged, 'Normal', 'Created', `${object} is configured by this object`)
        break
      case 'change':
        recorder.event(hyperconverged, 'Normal', 'Updated', `${object} was updated`)
        break
      case 'drift': {
        const by = step.rivals.length === 0 ? 'others' : step.rivals.join(', ')
        recorder.event(
          hyperconverged,
          'Warning',
          'Overwritten',
          `${object} was changed by ${by}, and is as before: ${step.drift.join(', ')}`,
        )
      }
    }
  }
}

/**
 * Records what a pass has changed in the status: one event for a change, and none for a pass that
 * finds everything as before.
 */
export function recordTransitions(
  recorder: Pick<Recorder, 'event'>,
  hyperconverged: HyperConverged,
  before: HyperConvergedStatus | undefined,
  after: HyperConvergedStatus,
): void {
  if ((before?.conditions ?? []).length === 0)
    recorder.event(hyperconverged, 'Normal', 'InitHCO', 'The components are configured for the first time')
  for (const { name, state, object = name, message = '' } of after.steadyvm?.components ?? []) {
    const last = before?.steadyvm?.components?.find((component) => component.name === name)
    if (state === 'Failed' && last?.state !== 'Failed')
      recorder.event(hyperconverged, 'Warning', 'ReconcileError', `${name} cannot be configured: ${message}`)
    if (message === removalMessage && last?.message !== removalMessage && !isPart(name))
      recorder.event(hyperconverged, 'Normal', 'Killing', `${object} is deleted: this object does not ask for it`)
  }
  const { upgrade } = after.steadyvm ?? {}
  if (upgrade?.stage === 'Complete' && before?.steadyvm?.upgrade?.completedAt === undefined)
    recorder.event(hyperconverged, 'Normal', 'UpgradeHCO', `The platform was upgraded from ${upgrade.from} to ${upgrade.to}`)
  if (upgrade?.stage === 'Preflight' && before?.steadyvm?.upgrade?.message !== upgrade.message)
    recorder.event(hyperconverged, 'Warning', 'UpgradeHCO', upgrade.message ?? '')
  const [was, is] = [before, after].map(isReady)
  if (is === true && was !== true) recorder.event(hyperconverged, 'Normal', 'ReconcileHCO', 'All components are configured and available')
  if (was === true && is !== true)
    recorder.event(hyperconverged, 'Warning', 'ReconcileHCO', `Not all components are available: ${complaintsOf(after)}`)
}

/** Progress is no failure: every edit causes some. */
function isReady(status: HyperConvergedStatus | undefined): boolean {
  return status?.systemHealthStatus !== undefined && status.systemHealthStatus !== 'error'
}

function complaintsOf({ conditions }: HyperConvergedStatus): string {
  const messages = ['Available', 'Degraded'].map((type) => findCondition(conditions, type)?.message ?? '')
  return [...new Set(messages.filter((message) => message !== ''))].join('; ')
}

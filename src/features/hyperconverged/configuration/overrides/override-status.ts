import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Outcome } from '../../reconcile/act.ts'
import type { Ports } from '../../reconcile/ports.ts'
import { overrideOf } from './override.ts'

type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>

/** Returns what became of an override in a pass. Pure. `now`: milliseconds. */
export function verdictOf(override: ComponentOverride, outcomes: readonly Outcome[], now: number): Verdict {
  const { problem } = overrideOf(override, now)
  if (problem !== undefined) return { status: 'False', ...problem }
  const outcome = outcomes.find(({ decision }) => decision.observed.component.name === override.spec.component)
  const { step, overrides = [], isHeld } = outcome?.decision ?? {}
  const { component } = override.spec
  if (step === undefined || step.kind === 'absent')
    return { status: 'False', reason: 'ComponentAbsent', message: `the kind of ${component} is not installed` }
  if (step.kind === 'not-wanted' || step.kind === 'remove')
    return { status: 'False', reason: 'ComponentNotWanted', message: `HyperConverged does not ask for ${component}` }
  if (step.kind === 'wait') return { status: 'Unknown', reason: 'Pending', message: step.why }
  if (isHeld === true)
    return { status: 'Unknown', reason: 'Pending', message: 'the components are left as they are until the upgrade can proceed' }
  const result = overrides.find(({ override: { source } }) => source.kind === 'object' && source.name === override.metadata.name)
  if (result?.problem !== undefined) return { status: 'False', ...result.problem }
  if (outcome?.error !== undefined) return { status: 'False', reason: 'ComponentFailed', message: outcome.error }
  return { status: 'True', reason: 'Applied', message: '' }
}

/** Writes the status of all overrides that has changed. */
export async function reportOverrides(
  { client, clock, overrides }: Pick<Ports, 'client' | 'clock' | 'overrides'>,
  outcomes: readonly Outcome[],
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  await Promise.all(
    overrides.list().map(async (override) => {
      if (isBeingDeleted(override)) return
      const { generation = 0 } = override.metadata
      const condition = { type: 'Applied', observedGeneration: generation, ...verdictOf(override, outcomes, now) }
      const conditions = setCondition(override.status?.conditions ?? [], condition, timestamp(now))
      await patchStatus(client, componentOverrides, override, { conditions, observedGeneration: generation }, { signal }).catch(
        (error: unknown) => {
          // Another pass follows the change or the removal.
          if (!isConflict(error) && !isNotFound(error)) throw error
        },
      )
    }),
  )
}

/** Milliseconds until the next override expires; undefined for none. Pure. */
export function nextExpiryMs(overrides: readonly ComponentOverride[], now: number): number | undefined {
  const times = overrides.flatMap(({ spec: { expiresAt } }) => (expiresAt === undefined ? [] : [Date.parse(expiresAt) - now]))
  const ahead = times.filter((ms) => ms > 0)
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}

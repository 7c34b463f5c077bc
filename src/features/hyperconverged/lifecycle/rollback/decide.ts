import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { AppliedConfiguration, RolledBackEdit } from '#api/hco/v1/status.ts'
import type { Outcome } from '../../reconcile/act.ts'
import { configurationOf, revisionOf } from './configuration.ts'
import type { LastApplied } from './last-applied.ts'
import { isRollBackRequested } from './on-failure.ts'
import { isAppliedEverywhere } from './refusal.ts'

/**
 * Returns the refusal for which the object is rolled back. It ends with the next edit, and with
 * the annotation that asks for it. Pure.
 */
export function rolledBackEdit(hyperconverged: HyperConverged): RolledBackEdit | undefined {
  const edit = hyperconverged.status?.steadyvm?.configuration?.rolledBack
  const isCurrent = edit !== undefined && edit.revision === revisionOf(configurationOf(hyperconverged))
  return isCurrent && isRollBackRequested(hyperconverged) ? edit : undefined
}

/** Returns a stored configuration if it is the last one that all components had. Pure. */
export function usableConfiguration({ metadata, status }: HyperConverged, last: LastApplied | undefined): LastApplied | undefined {
  const revision = status?.steadyvm?.configuration?.revision
  // It is stored before the status: an operator that was killed in between has not told of it.
  const isLast = last?.revision === revision || last?.follows === revision
  return last !== undefined && last.uid === metadata.uid && isLast ? last : undefined
}

/** What follows from a pass. */
export type Verdict =
  /** All components have the configuration of the object. */
  | { readonly kind: 'applied' }
  /** A component has refused it, and a rollback is asked for. */
  | { readonly kind: 'refused'; readonly edit: RolledBackEdit }
  /** Components are tried again. */
  | { readonly kind: 'failed' }

/** Judges the outcomes of a pass that has applied the configuration of the object. Pure. */
export function judge(hyperconverged: HyperConverged, outcomes: readonly Outcome[]): Verdict {
  if (isAppliedEverywhere(outcomes)) return { kind: 'applied' }
  const refusal = outcomes.map(refusalOf).find((found) => found !== undefined)
  if (refusal === undefined || !isRollBackRequested(hyperconverged)) return { kind: 'failed' }
  const { generation = 0 } = hyperconverged.metadata
  return { kind: 'refused', edit: { generation, revision: revisionOf(configurationOf(hyperconverged)), ...refusal } }
}

/** A field that cannot be rendered is refused by the operator itself. */
function refusalOf({ decision, error, isRefused }: Outcome): Pick<RolledBackEdit, 'component' | 'message'> | undefined {
  const { name: component } = decision.observed.component
  if (isRefused === true && error !== undefined) return { component, message: error }
  const { problems } = decision
  return problems.length === 0 ? undefined : { component, message: problems.map(({ field, message }) => `${field} ${message}`).join('; ') }
}

/** Status of a configuration that all components have. Pure. */
export function appliedConfiguration(hyperconverged: HyperConverged): AppliedConfiguration {
  return { generation: hyperconverged.metadata.generation ?? 0, revision: revisionOf(configurationOf(hyperconverged)) }
}

import type { AppliedConfiguration } from '#api/hco/v1/status.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'

/** What a pass has found out about the configuration in effect. */
export interface RollBackReport {
  /** Undefined: no configuration has been applied to all components yet. */
  readonly configuration?: AppliedConfiguration
  /** True if all components have what the pass has applied. */
  readonly isDone: boolean
  /** Reason why a refused edit could not be rolled back. */
  readonly problem?: string
}

/**
 * Says in ReconcileComplete which edit was refused, by whom, and what is in effect. Pure.
 */
export function withRollBack(conditions: readonly Condition[], { configuration, isDone, problem }: RollBackReport): readonly Condition[] {
  const { rolledBack, generation } = configuration ?? {}
  return conditions.map((condition) => {
    if (condition.type !== 'ReconcileComplete') return condition
    const { message = '' } = condition
    if (rolledBack !== undefined) {
      const what = `${rolledBack.component} refuses generation ${rolledBack.generation}: ${rolledBack.message}`
      const effect = isDone
        ? `generation ${generation} is in effect until the next edit`
        : `the components go back to generation ${generation}`
      const others = isDone || message === '' || message.includes(rolledBack.message) ? [] : [message]
      return {
        ...condition,
        status: 'False',
        reason: isDone ? 'RolledBack' : 'RollingBack',
        message: [what, effect, ...others].join('; '),
      }
    }
    if (problem === undefined) return condition
    const text = `no rollback: ${problem}`
    return { ...condition, message: message === '' ? text : `${message}; ${text}` }
  })
}

/**
 * Returns the merge patch of the configuration in the status: a rollback that has ended is removed.
 * Pure.
 */
export function configurationChange(configuration: AppliedConfiguration | undefined): object {
  if (configuration === undefined || configuration.rolledBack !== undefined) return {}
  return { configuration: { ...configuration, rolledBack: null } }
}

import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { AppliedConfiguration } from '#api/hco/v1/status.ts'
import type { Outcome } from '../../reconcile/act.ts'
import type { Ports } from '../../reconcile/ports.ts'
import { withConfiguration } from './configuration.ts'
import { appliedConfiguration, judge, rolledBackEdit, usableConfiguration, type Verdict } from './decide.ts'
import { readLastApplied, writeLastApplied } from './last-applied.ts'
import { isRollBackRequested } from './on-failure.ts'
import type { RollBackReport } from './report.ts'
import { isAppliedEverywhere } from './refusal.ts'

/** What a pass applies. */
export interface Effective {
  /** The object, with the configuration that the components get. */
  readonly hyperconverged: HyperConverged
  readonly isRolledBack: boolean
}

/** Goes back to the last configuration that all components had, where that is asked for. */
export interface RollBack {
  /** Decides which configuration a pass applies. */
  effective(hyperconverged: HyperConverged, signal: AbortSignal): Promise<Effective>
  /** Concludes a pass. What it returns must be stored in the status. */
  conclude(stored: HyperConverged, effective: Effective, outcomes: readonly Outcome[], signal: AbortSignal): Promise<RollBackReport>
}

/** Dependencies of {@link createRollBack}. */
type RollBackPorts = Pick<Ports, 'client' | 'recorder' | 'log' | 'namespace'>

const nothingStored =
  'the last configuration that all components had is not stored: it is stored from the first edit on that all of them accept while a rollback is asked for'

/**
 * Creates the rollback. What is in effect follows from the object, its status and the stored
 * configuration. Only what this process has stored last is kept in memory.
 */
export function createRollBack({ client, recorder, log, namespace }: RollBackPorts): RollBack {
  let known: string | undefined

  const usable = async (hyperconverged: HyperConverged, signal: AbortSignal): ReturnType<typeof readLastApplied> =>
    usableConfiguration(hyperconverged, await readLastApplied(client, namespace, signal))

  /** Returns why it could not be stored. */
  const store = async (hyperconverged: HyperConverged, revision: string, signal: AbortSignal): Promise<string | undefined> => {
    const of = `${hyperconverged.metadata.uid}/${revision}`
    if (known === of) return undefined
    try {
      const last = await readLastApplied(client, namespace, signal)
      if (usableConfiguration(hyperconverged, last)?.revision !== revision)
        await writeLastApplied(client, hyperconverged, namespace, signal)
      known = of
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ error }, 'The configuration that all components have could not be stored for a rollback')
      return `the configuration that all components have could not be stored: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  return {
    async effective(hyperconverged, signal) {
      if (rolledBackEdit(hyperconverged) === undefined) return { hyperconverged, isRolledBack: false }
      const last = await usable(hyperconverged, signal)
      if (last === undefined) return { hyperconverged, isRolledBack: false }
      return { hyperconverged: withConfiguration(hyperconverged, last), isRolledBack: true }
    },

    async conclude(stored, { isRolledBack }, outcomes, signal) {
      const before = stored.status?.steadyvm?.configuration
      const isDone = isAppliedEverywhere(outcomes)
      if (isRolledBack) return { isDone, ...(before === undefined ? {} : { configuration: before }) }
      const { rolledBack: _ended, ...last } = before ?? {}
      const verdict: Verdict = judge(stored, outcomes)
      switch (verdict.kind) {
        case 'applied': {
          const configuration = appliedConfiguration(stored)
          const problem = isRollBackRequested(stored) ? await store(stored, configuration.revision ?? '', signal) : undefined
          return { isDone, configuration, ...(problem === undefined ? {} : { problem }) }
        }
        case 'refused': {
          const good = await usable(stored, signal).catch((error: unknown) => {
            signal.throwIfAborted()
            return error instanceof Error ? error : new Error(String(error))
          })
          if (good instanceof Error)
            return {
              isDone,
              configuration: last,
              problem: `the last configuration that all components had cannot be read: ${good.message}`,
            }
          if (good === undefined) return { isDone, configuration: last, problem: nothingStored }
          // The components have refused what they had: it is not the edit that is wrong.
          if (good.revision === verdict.edit.revision) return { isDone, configuration: last }
          const configuration: AppliedConfiguration = { generation: good.generation, revision: good.revision, rolledBack: verdict.edit }
          const { component, message, generation } = verdict.edit
          log.warn({ component, generation, to: good.generation }, 'An edit was refused, and is rolled back')
          recorder.event(
            stored,
            'Warning',
            'RollBack',
            `${component} refuses generation ${generation}: the components go back to generation ${good.generation}. ${message}`,
          )
          return { isDone, configuration }
        }
        case 'failed':
          return { isDone, configuration: last }
      }
    },
  }
}

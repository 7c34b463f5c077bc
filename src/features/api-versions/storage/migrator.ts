import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { createOutage } from '#runtime/clock/outage.ts'
import { migrateStorage, type Migration } from './migrate.ts'
import { isOutdated } from './stored-versions.ts'

/** Options of {@link createStorageMigrator}. */
export interface MigratorOptions {
  readonly client: Pick<Client, 'get' | 'list' | 'patch'>
  readonly clock: Clock
  readonly log: Logger
  /**
   * Milliseconds between two checks; ten minutes by default, since storage versions change with
   * releases.
   */
  readonly everyMs?: number
  /**
   * Milliseconds before the first check, and for all API servers to see a change; 30,000 by
   * default.
   */
  readonly settleMs?: number
}

/** Label of our CRDs. */
const selector = 'kubevirt.io'

/**
 * Keeps objects of our kinds in the storage version. Polls, since a watch would keep megabytes of
 * CRDs.
 */
export function createStorageMigrator({ client, clock, log, everyMs = 600_000, settleMs = 30_000 }: MigratorOptions): Runnable {
  const outage = createOutage({ clock, log })
  let lastGenerations = new Map<string, number | undefined>()
  let told = ''

  /** Returns the milliseconds until the next check. */
  const look = async (signal: AbortSignal): Promise<number> => {
    const { items } = await client.list(customResourceDefinitions, { labelSelector: selector, signal })
    const outdated = items.filter(isOutdated)
    const settled = outdated.filter(({ metadata }) => lastGenerations.get(metadata.uid ?? '') === metadata.generation)
    lastGenerations = new Map(outdated.map(({ metadata }) => [metadata.uid ?? '', metadata.generation]))
    const failures: string[] = []
    for (const definition of settled) failures.push(...(await migrate(definition, signal)))
    if (failures.length > 0 && failures.join() !== told) log.warn({ failures }, 'Objects are still stored in old versions')
    told = failures.join()
    return settled.length < outdated.length ? settleMs : everyMs
  }

  const migrate = async (definition: CustomResourceDefinition, signal: AbortSignal): Promise<string[]> => {
    const migration = await migrateStorage(client, definition, { concurrency: 2, signal })
    const { outcome, from, to, objects } = migration
    if (outcome === 'migrated') log.info({ definition: migration.definition, from, to, objects }, 'Stored objects are all of one version')
    return failuresOf(migration)
  }

  return {
    async run(signal) {
      let waitMs = settleMs
      while (await slept(clock, waitMs, signal)) {
        try {
          waitMs = await look(signal)
          outage.ended()
        } catch (error) {
          waitMs = settleMs
          if (!signal.aborted) outage.failed({ error }, 'Cannot look for objects that are stored in old versions')
        }
      }
    },
  }
}

function failuresOf({ definition, outcome, refusals }: Migration): string[] {
  if (outcome === 'unserved') return [`${definition}: no version is served`]
  return refusals.slice(0, 3).map(({ object, message }) => `${definition}: ${object}: ${message}`)
}

async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  await clock.sleep(ms, signal).catch(() => undefined)
  return !signal.aborted
}

import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { createUninstaller, hyperConvergedKey } from '#features/hyperconverged/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { systemRandom } from '#runtime/process/random.ts'
import { CommandError, EXIT, type CliContext } from '../context.ts'
import { decideUninstallation, type Deletion, type UninstallScope } from './decide.ts'
import { observeInstalled, type InstalledObject } from './installed-objects.ts'
import { observePlatform, type Platform } from './platform.ts'

/** What an uninstallation has done. */
export interface UninstallResult {
  readonly deleted: readonly string[]
  readonly left: readonly InstalledObject[]
}

/** Options of {@link performUninstallation}. */
export interface UninstallOptions {
  readonly client: Client
  /** Manifests of both operators. */
  readonly manifests: readonly KubeObject[]
  readonly scope: UninstallScope
  readonly timeoutMs: number
}

const intervalMs = 500

/**
 * Removes the platform step by step, and tells each on standard error. Each step is decided from
 * what exists. @throws CommandError when a deletion is refused, or after the time-out
 */
export async function performUninstallation(context: CliContext, options: UninstallOptions): Promise<UninstallResult> {
  const { client, manifests, scope, timeoutMs } = options
  const { signal } = context
  const limit = context.now() + timeoutMs
  const deleted: string[] = []
  const tell = tellOnce(context)
  const uninstaller = createUninstaller({
    client,
    recorder: { event: (_object, _type, _reason, message) => tell(message) },
    clock: systemClock,
    log: silentLogger,
    random: systemRandom,
    namespace: hyperConvergedKey.namespace,
  })
  for (;;) {
    const [platform, installed] = await Promise.all([observePlatform(client, signal), observeInstalled(client, manifests, signal)])
    const step = decideUninstallation(platform, installed, scope)
    if (step.do === 'finish') return { deleted, left: step.left }
    if (signal.aborted) throw new CommandError('Interrupted: the same command continues')
    if (context.now() >= limit) throw new CommandError(`It is not over yet: ${awaited(platform)}. The same command continues`, EXIT.timeout)
    switch (step.do) {
      case 'delete':
        await Promise.all(step.objects.map((object) => remove(client, object, signal)))
        for (const { title } of step.objects) tell(`${title} is deleted`)
        deleted.push(...step.objects.map(({ title }) => title))
        break
      case 'stopConversion':
        tell('HyperConverged is not converted any more')
        await retried(stopConversion(client, step.definition, signal))
        break
      case 'release':
        await retried(uninstaller.release(step.hyperconverged, signal))
        break
      case 'teardown':
        if (platform.hyperconverged !== undefined) await retried(uninstaller.remove(platform.hyperconverged, signal))
        await context.sleep(intervalMs)
        break
      case 'wait':
        tell(progressOf(platform) ?? `Waits for the end of ${step.titles.join(', ')}`)
        await context.sleep(intervalMs)
    }
  }
}

/** Writes a line unless it is the last one. */
function tellOnce({ process: { stderr } }: CliContext): (line: string) => void {
  let last = ''
  return (line) => {
    if (line !== last) stderr.write(`${line}\n`)
    last = line
  }
}

async function remove(client: Pick<Client, 'delete'>, { title, resource, object }: Deletion, signal: AbortSignal): Promise<void> {
  const { namespace, name } = keyOf(object)
  const { uid, finalizers = [] } = object.metadata ?? {}
  try {
    const key = namespace === '' ? { name } : { namespace, name }
    await client.delete(resource, key, {
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      // What has no controller to wait for goes after its dependents.
      propagationPolicy: finalizers.length > 0 ? 'Background' : 'Foreground',
      signal,
    })
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return
    if (error instanceof StatusError) throw new CommandError(`${title} cannot be deleted: ${error.message}`, EXIT.refused)
    throw error
  }
}

/** Serves what is stored only: the other version needs the operator. */
function stopConversion(
  client: Pick<Client, 'patch'>,
  { metadata, spec }: CustomResourceDefinition,
  signal: AbortSignal,
): Promise<unknown> {
  const versions = spec.versions.map((version) => ({ ...version, served: version.served && version.storage }))
  const change = { spec: { versions, conversion: { strategy: 'None', webhook: null } } }
  return patchIfUnchanged(client, customResourceDefinitions, { metadata }, change, { signal })
}

/** The next pass reads again. */
async function retried(attempt: Promise<unknown>): Promise<void> {
  await attempt.catch((error: unknown) => {
    if (!isConflict(error) && !isNotFound(error)) throw error
  })
}

/** What the operator says of the removal. */
function progressOf({ hyperconverged }: Platform): string | undefined {
  const { status, reason, message = '' } = findCondition(hyperconverged?.status?.conditions, 'Progressing') ?? {}
  return status === 'True' && (reason === 'DeletionInProgress' || reason === 'DeletionFailed') && message !== '' ? message : undefined
}

function awaited(platform: Platform): string {
  const titles = platform.components.map(({ title }) => title)
  return progressOf(platform) ?? `${titles.length === 0 ? 'the operators' : titles.join(', ')} still exist`
}

import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { backoffMs } from '#runtime/clock/backoff.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Result } from '#runtime/controller/reconcile.ts'
import type { Ports } from '../../reconcile/ports.ts'
import { ownedConditions } from '../../reconcile/report.ts'
import { decideTeardown } from './decide.ts'
import { finalizer } from './names.ts'
import { observeManaged, type ManagedObject } from './observe.ts'
import { teardownStatus, titleOf } from './report.ts'

/** Removes the objects of the components with the HyperConverged object. */
export interface Uninstaller {
  /** Adds the finalizer before anything is applied. Returns the updated object. */
  hold(hyperconverged: HyperConverged, signal: AbortSignal): Promise<HyperConverged>
  /** Takes all steps that are possible now. */
  remove(hyperconverged: HyperConverged, signal: AbortSignal): Promise<Result>
  /** Removes the finalizer, whatever is left. */
  release(hyperconverged: HyperConverged, signal: AbortSignal): Promise<void>
}

/** Dependencies of {@link createUninstaller}. */
export type UninstallerPorts = Pick<Ports, 'client' | 'recorder' | 'clock' | 'log' | 'random' | 'namespace'>

/** Guests that block a deletion may be gone soon: the last wait is short. */
const retries = { initialMs: 1_000, maxMs: 30_000 } as const

/** Attempts to delete an object since it was found. */
interface Failure {
  readonly count: number
  readonly error: string
  readonly retryAt: number
}

/** Creates the uninstaller. All that it keeps in memory are the times of the next attempts. */
export function createUninstaller(ports: UninstallerPorts): Uninstaller {
  const { client, clock, random, recorder, log, namespace } = ports
  const failures = new Map<string, Failure>()

  const remove = async (hyperconverged: HyperConverged, signal: AbortSignal): Promise<Result> => {
    if (!isHeld(hyperconverged)) return done
    const before = await observeManaged(client, namespace, signal)
    const step = decideTeardown(before)
    const isDeleting = step.do === 'delete'
    if (isDeleting) await Promise.all(step.objects.map((one) => attempt(hyperconverged, one, signal)))
    const managed = isDeleting ? await observeManaged(client, namespace, signal) : before
    if (managed.length === 0) {
      await release(hyperconverged, signal)
      log.info({}, 'All objects of HyperConverged are gone')
      return done
    }
    const errors = new Map(
      managed.flatMap((one) => {
        const failure = isBeingDeleted(one.object) ? undefined : failures.get(titleOf(one))
        return failure === undefined ? [] : [[titleOf(one), failure.error] as const]
      }),
    )
    const status = teardownStatus(hyperconverged, { managed, errors }, timestamp(clock.now()))
    await patchStatus(client, hyperConvergeds, hyperconverged, status, { ownedConditions, signal })
    const next = decideTeardown(managed)
    // The watch wakes for everything else.
    if (next.do !== 'delete') return done
    return recheckIn(Math.min(...next.objects.map((one) => Math.max(1, (failures.get(titleOf(one))?.retryAt ?? 0) - clock.now()))))
  }

  /** A refusal leaves the other objects of the stage alone. */
  const attempt = async (hyperconverged: HyperConverged, managed: ManagedObject, signal: AbortSignal): Promise<void> => {
    const title = titleOf(managed)
    const failure = failures.get(title)
    if (failure !== undefined && failure.retryAt > clock.now()) return
    const { resource, object, component } = managed
    try {
      const { uid = '' } = object.metadata ?? {}
      await client.delete(resource, keyOf(object), { preconditions: { uid }, propagationPolicy: 'Foreground', signal })
      failures.delete(title)
      log.info({ component: component.name, object: title }, 'An object is deleted with HyperConverged')
      recorder.event(hyperconverged, 'Normal', 'Killing', `${title} is deleted`)
    } catch (error) {
      signal.throwIfAborted()
      if (isNotFound(error)) return
      const count = (failure?.count ?? 0) + 1
      const message = error instanceof Error ? error.message : String(error)
      failures.set(title, { count, error: message, retryAt: clock.now() + backoffMs(count, retries, random) })
      log.warn({ component: component.name, error, failures: count }, 'An object could not be deleted: trying again')
      recordFailure(hyperconverged, component.name, `${title} cannot be deleted: ${message}`)
    }
  }

  const recordFailure = (hyperconverged: HyperConverged, component: string, message: string): void => {
    switch (component) {
      case 'kubevirt':
        return recorder.event(hyperconverged, 'Warning', 'ErrVirtUninstall', message)
      case 'cdi':
        return recorder.event(hyperconverged, 'Warning', 'ErrCDIUninstall', message)
      default:
        return recorder.event(hyperconverged, 'Warning', 'ErrHCOUninstall', message)
    }
  }

  const release = async (hyperconverged: HyperConverged, signal: AbortSignal): Promise<void> => {
    const others = (hyperconverged.metadata.finalizers ?? []).filter((one) => one !== finalizer)
    await found(writeFinalizers(hyperconverged, others, signal))
    failures.clear()
  }

  /** The resource version keeps finalizers that others add meanwhile. */
  const writeFinalizers = (hyperconverged: HyperConverged, finalizers: readonly string[], signal: AbortSignal): Promise<HyperConverged> =>
    patchIfUnchanged(client, hyperConvergeds, hyperconverged, { metadata: { finalizers } }, { signal })

  return {
    hold: async (hyperconverged, signal) =>
      isHeld(hyperconverged)
        ? hyperconverged
        : writeFinalizers(hyperconverged, [...(hyperconverged.metadata.finalizers ?? []), finalizer], signal),
    remove,
    release,
  }
}

function isHeld({ metadata }: HyperConverged): boolean {
  return metadata.finalizers?.includes(finalizer) === true
}

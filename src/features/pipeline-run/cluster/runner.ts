import type { Pod } from '#api/core/v1/pod.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { isAlreadyExists, isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import { TransportError, type Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { ManifestInvalid } from '../manifest/fields.ts'
import { podName, runLabel } from '../pod/names.ts'
import { taskPod } from '../pod/task-pod.ts'
import { ownClaims } from '../pod/volumes.ts'
import { decide, type Decision, type StopAction } from '../run/decide.ts'
import { observe } from '../run/observe.ts'
import { attemptsOf, type Outcome, type Progress, withAttempt } from '../run/progress.ts'
import type { TaskStates } from '../run/states.ts'
import { ReferenceUnresolved } from '../substitution/substitute.ts'
import { readRun, storeProgress, type StoredRun } from './run-store.ts'

/** What a runner sees of a run after each look at the cluster. */
export interface RunView {
  readonly stored: StoredRun
  readonly states: TaskStates
  readonly pods: readonly Pod[]
}

/** Dependencies of {@link followRun}. */
export interface RunnerPorts {
  readonly client: Client
  readonly clock: Clock
  /** Shows how far the run is. */
  readonly show: (view: RunView) => Promise<void> | void
  /** Called with each request that has failed and is made again. */
  readonly onRetry: (error: Error) => void
  /** Aborts when the run is to be cancelled: tasks are ended, and those of finally run. */
  readonly cancel: AbortSignal
  /** Aborts when the runner is to leave at once, and the run as it is. */
  readonly leave: AbortSignal
}

/** The run was deleted while it was followed. */
export class RunDeleted extends Error {
  override readonly name = 'RunDeleted'
}

/** Milliseconds between two looks at the cluster. */
const pollMs = 500

/**
 * Carries a run out until its end, or until `leave` aborts. Everything is derived from what the
 * cluster has stored: a runner that was killed is followed by another one, and two at once do not
 * disturb each other. @throws RunDeleted
 */
export async function followRun(ports: RunnerPorts, begun: StoredRun): Promise<Outcome | undefined> {
  let stored = begun
  while (!ports.leave.aborted) {
    const next = await retried(ports, () => carryOn(ports, stored))
    if (next !== undefined) stored = next
    if (stored.progress.outcome !== undefined) return stored.progress.outcome
    if (next === undefined) await ports.clock.sleep(pollMs, ports.leave).catch(() => {})
  }
  return undefined
}

/**
 * One look at the cluster. Returns the run as stored if something has changed, or if it has ended,
 * as another runner may have brought it there.
 */
async function carryOn(ports: RunnerPorts, known: StoredRun): Promise<StoredRun | undefined> {
  const { client, clock } = ports
  const stored = await readRun(client, known.run)
  if (stored === undefined || stored.run.uid !== known.run.uid)
    throw new RunDeleted(`The run "${known.run.namespace}/${known.run.name}" was deleted while it was carried out`)
  const { run, progress } = stored
  const now = clock.now()
  const { items } = await client.list(pods, { namespace: run.namespace, labelSelector: `${runLabel}=${run.name}` })
  const own = items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === run.uid) === true)
  const observed = observe(run, cancelled(ports, progress, now), own, now)
  const decision = decide(run, observed, now)
  await ports.show({ stored: { ...stored, progress: observed }, states: decision.states, pods: own })
  const begun = await startAttempts(client, stored, observed, decision, now)
  const wanted = ended(marked(begun, decision, now), decision)
  const changed = wanted === progress ? undefined : await storeProgress(client, stored, wanted)
  // What is to be ended is stored first, so that another runner understands its end, too.
  for (const action of decision.stop) await stopPod(client, own, action)
  return changed ?? (progress.outcome === undefined ? undefined : stored)
}

function cancelled({ cancel }: RunnerPorts, progress: Progress, now: number): Progress {
  return cancel.aborted && progress.cancelledAt === undefined && progress.outcome === undefined
    ? { ...progress, cancelledAt: now }
    : progress
}

/** Records what is about to be ended, and the beginning of finally. */
function marked(progress: Progress, { stop, beginsFinally }: Decision, now: number): Progress {
  let next = progress
  for (const { task, index, reason } of stop) {
    const attempt = attemptsOf(next, task)[index]
    if (attempt !== undefined && attempt.stop === undefined)
      next = withAttempt(next, task, index, { ...attempt, stop: { reason, at: now } })
  }
  return beginsFinally ? { ...next, finallyAt: now } : next
}

function ended(progress: Progress, { outcome }: Decision): Progress {
  return outcome === undefined || progress.outcome !== undefined ? progress : { ...progress, outcome }
}

/** Creates pods. An attempt whose pod cannot be created has failed. */
async function startAttempts(
  client: Client,
  { run }: StoredRun,
  progress: Progress,
  { start, states }: Decision,
  now: number,
): Promise<Progress> {
  let next = progress
  for (const { task: name, attempt } of start) {
    const task = run.plan.tasks.find((one) => one.name === name)
    if (task === undefined) continue
    const pod = podName(run, name, attempt)
    try {
      for (const claim of ownClaims(run, task)) await unlessExists(client.create(persistentVolumeClaims, claim))
      await client.create(pods, taskPod({ run, progress, states, task, attempt, now }))
      next = withAttempt(next, name, attempt, { pod, startedAt: now, state: 'Running' })
    } catch (error) {
      if (isAlreadyExists(error)) continue
      if (!isRefusal(error)) throw error
      const message = `its pod cannot be created: ${(error as Error).message}`
      next = withAttempt(next, name, attempt, { pod, startedAt: now, finishedAt: now, state: 'Failed', reason: 'CannotStart', message })
    }
  }
  return next
}

async function unlessExists(creating: Promise<unknown>): Promise<void> {
  try {
    await creating
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** Reports whether the same request will fail again. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ManifestInvalid || error instanceof ReferenceUnresolved) return true
  return error instanceof StatusError && error.code >= 400 && error.code < 500 && error.code !== 429 && !isConflict(error)
}

/**
 * Ends a pod by its deadline, so that its logs stay. One that no node has taken yet has no
 * beginning from which the deadline would count, and is deleted. May be repeated.
 */
async function stopPod(client: Client, own: readonly Pod[], { pod: name }: StopAction): Promise<void> {
  const pod = own.find(({ metadata }) => metadata.name === name)
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
  const key = { namespace: pod.metadata.namespace ?? '', name }
  try {
    if (pod.status?.startTime === undefined) await client.delete(pods, key)
    else if (pod.spec.activeDeadlineSeconds !== 1)
      await client.patch(pods, key, { type: 'merge', body: { spec: { activeDeadlineSeconds: 1 } } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Repeats what failed because of the server, or because another process was faster. */
async function retried<T>({ clock, leave, onRetry }: RunnerPorts, attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt()
  } catch (error) {
    const isPassing =
      error instanceof TransportError || (error instanceof StatusError && (isConflict(error) || error.code >= 500 || error.code === 429))
    if (!isPassing) throw error
    // Another runner that was faster is nothing to be told.
    if (!isConflict(error)) onRetry(error)
    await clock.sleep(pollMs, leave).catch(() => {})
    return undefined
  }
}

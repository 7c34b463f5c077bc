import type { Container, ContainerStatus } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ResultSpec, TaskSpec } from '../manifest/task.ts'
import type { ParamValue } from '../manifest/parameter.ts'
import { attemptNumber, collectorName, taskOf } from '../pod/names.ts'
import { type Attempt, attemptsOf, type Progress, withAttempt } from './progress.ts'
import type { Run } from './run.ts'

/** How long a pod that is to be ended is waited for: its node may be gone. */
const endingMs = 120_000

/** Reasons for which a container will not start by waiting. */
const hopeless: ReadonlySet<string> = new Set(['ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'])

/**
 * Brings the progress up to date with the pods of the run. What has been recorded stays: a pod that
 * was deleted afterwards changes nothing. Pure.
 */
export function observe(run: Run, progress: Progress, pods: readonly Pod[], now: number): Progress {
  let next = progress
  for (const pod of pods) {
    const [task, number] = [taskOf(pod), attemptNumber(pod)]
    const isKnown = run.plan.tasks.some(({ name }) => name === task)
    if (!isKnown || attemptsOf(next, task).length !== number) continue
    next = withAttempt(next, task, number, { pod: pod.metadata.name ?? '', startedAt: now, state: 'Running' })
  }
  for (const { name, spec } of run.plan.tasks) {
    for (const [index, attempt] of attemptsOf(next, name).entries()) {
      if (attempt.state !== 'Running') continue
      const pod = pods.find(({ metadata }) => metadata.name === attempt.pod)
      const seen = pod === undefined ? goneAttempt(attempt, now) : seenAttempt(attempt, pod, spec, now)
      if (seen !== attempt) next = withAttempt(next, name, index, seen)
    }
  }
  return next
}

function goneAttempt(attempt: Attempt, now: number): Attempt {
  const message = attempt.stop?.message ?? `its pod "${attempt.pod}" was deleted before it had ended`
  return failed(attempt, attempt.stop?.reason ?? 'PodDeleted', message, now)
}

function seenAttempt(attempt: Attempt, pod: Pod, spec: TaskSpec, now: number): Attempt {
  const { phase, reason } = pod.status ?? {}
  if (phase === 'Succeeded') return succeeded(attempt, pod, spec, now)
  if (phase === 'Failed') {
    const why = attempt.stop?.reason ?? (reason === 'DeadlineExceeded' ? 'TimedOut' : (reason ?? 'StepFailed'))
    return failed(attempt, why, attempt.stop?.message ?? failureOf(pod), now)
  }
  const { stop } = attempt
  if (stop !== undefined)
    return now < stop.at + endingMs ? attempt : failed(attempt, stop.reason, `its pod "${attempt.pod}" has not ended yet`, now)
  const stuck = statusesOf(pod).find(({ state }) => hopeless.has(state?.waiting?.reason ?? ''))
  if (stuck === undefined) return attempt
  const message = `container "${stuck.name}" cannot start: ${stuck.state?.waiting?.message ?? stuck.state?.waiting?.reason ?? ''}`
  return { ...attempt, stop: { reason: 'CannotStart', at: now, message } }
}

function succeeded(attempt: Attempt, pod: Pod, { results: specs }: TaskSpec, now: number): Attempt {
  if (specs.length === 0) return { ...attempt, state: 'Succeeded', finishedAt: now, results: {} }
  const text = statusesOf(pod).find(({ name }) => name === collectorName)?.state?.terminated?.message ?? ''
  const results = readResults(text, specs)
  return typeof results === 'string'
    ? failed(attempt, 'ResultsUnreadable', results, now)
    : { ...attempt, state: 'Succeeded', finishedAt: now, results }
}

/** Reads the results that the last container has collected; a text says why they are unreadable. */
function readResults(text: string, specs: readonly ResultSpec[]): Readonly<Record<string, ParamValue>> | string {
  let collected: unknown
  try {
    collected = JSON.parse(text)
  } catch {
    return `the container "${collectorName}" has left no results, but ${JSON.stringify(text.slice(0, 200))}`
  }
  const values: [string, ParamValue][] = []
  for (const { name, type } of specs) {
    const value = (collected as Readonly<Record<string, unknown>>)[name]
    if (typeof value !== 'string') continue
    const list = type === 'array' ? arrayOf(value) : value
    if (list === undefined) return `the result "${name}" must be a list of strings as JSON, and is ${JSON.stringify(value.slice(0, 200))}`
    values.push([name, list])
  }
  return Object.fromEntries(values)
}

function arrayOf(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
  } catch {
    return undefined
  }
}

function failed(attempt: Attempt, reason: string, message: string, now: number): Attempt {
  return { ...attempt, state: 'Failed', finishedAt: now, reason, message }
}

/** Explains why a pod has failed: by its step that has. */
function failureOf(pod: Pod): string {
  const status = statusesOf(pod).find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)
  if (status === undefined) return pod.status?.message ?? ''
  const { exitCode = 1, message = '', reason = '' } = status.state?.terminated ?? {}
  const what = `container "${status.name}" ended with exit code ${exitCode}${reason === '' || reason === 'Error' ? '' : ` (${reason})`}`
  return message.trim() === '' ? what : `${what}: ${message.trim().slice(-500)}`
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
}

/** Returns why a pod waits, in words; empty when it does not, or says nothing. Pure. */
export function whyPodWaits(pod: Pod): string {
  const waiting = statusesOf(pod).find(({ state }) => state?.waiting?.message !== undefined)
  if (waiting !== undefined) return `${waiting.name}: ${waiting.state?.waiting?.message ?? ''}`
  return pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.message ?? ''
}

/** Returns the containers of a pod whose log can be read, in the order in which they run. Pure. */
export function loggingContainers(pod: Pod): readonly Container['name'][] {
  return statusesOf(pod)
    .filter(({ name, state }) => name !== collectorName && (state?.running !== undefined || state?.terminated !== undefined))
    .map(({ name }) => name)
}

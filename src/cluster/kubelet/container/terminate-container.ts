import type { Container as ContainerSpec } from '#api/core/v1/container.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { CommandOwner } from '../isolation/command-beside.ts'
import type { Container } from './container.ts'
import type { Notifier } from '../process/notifier.ts'
import { runHook } from './lifecycle-hook.ts'

/** Parameters of a container's termination. */
export interface TerminationContext {
  readonly clock: Clock
  /**
   * Milliseconds since the epoch; read again after every notification, because a second delete may
   * shorten it.
   */
  readonly deadline: () => number
  /** Rings when the container has exited or the deadline has changed. */
  readonly notifier: Notifier
  /** Address of the pod, for HTTP hooks. */
  readonly host: string
  /** User of preStop commands; undefined: the kubelet's. */
  readonly owner?: CommandOwner | undefined
  /** The kubelet ends: leave everything as it is. */
  readonly signal: AbortSignal
}

/**
 * After a hook that used the grace period up, the process still gets this long to react to SIGTERM.
 */
const leastTermMs = 2_000
const killAgainMs = 1_000

/**
 * preStop hook, SIGTERM, the rest of the grace period, SIGKILL. Resolves when the container has
 * exited or the signal aborts.
 */
export async function terminateContainer(container: Container, spec: ContainerSpec, context: TerminationContext): Promise<void> {
  const { clock, notifier, signal } = context
  const runs = (): boolean => container.current?.state === 'running' && !signal.aborted
  const hooked = await runPreStop(container, spec, context)
  const least = hooked ? clock.now() + leastTermMs : 0
  if (runs()) container.signal('SIGTERM')
  while (runs()) {
    const left = Math.max(context.deadline(), least) - clock.now()
    if (left <= 0) container.signal('SIGKILL')
    await notifier.wait(left <= 0 ? killAgainMs : left)
  }
}

/** False when there is no hook. */
async function runPreStop(container: Container, spec: ContainerSpec, context: TerminationContext): Promise<boolean> {
  const { clock, notifier, signal } = context
  const hook = spec.lifecycle?.preStop
  const pid = container.current?.state === 'running' ? container.current.process.pid : undefined
  const left = context.deadline() - clock.now()
  if (hook === undefined || pid === undefined || left <= 0) return false
  const over = new AbortController()
  const runs = (): boolean => container.current?.state === 'running' && !over.signal.aborted && !signal.aborted
  const stop = (): void => over.abort()
  const hookEnd = runHook(clock, hook, { container: spec, pid, host: context.host, owner: context.owner }, left, over.signal).finally(
    () => {
      stop()
      notifier.notify()
    },
  )
  while (runs()) {
    // Read again after every notification: a second delete may shorten it.
    const wait = context.deadline() - clock.now()
    if (wait <= 0) break
    await notifier.wait(wait)
  }
  stop()
  await hookEnd
  return true
}

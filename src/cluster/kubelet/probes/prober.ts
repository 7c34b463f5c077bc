import type { Probe } from '#api/core/v1/container.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { CheckResult } from './check.ts'

/** Equal results in a row, and whether they reached the threshold. */
interface ProbeCount {
  readonly success: boolean
  readonly inARow: number
}

/** Counts one more answer. Pure. */
function countAnswer(count: ProbeCount | undefined, success: boolean): ProbeCount {
  return { success, inARow: count?.success === success ? count.inARow + 1 : 1 }
}

/** Verdict of the results so far; undefined below the threshold. Pure. */
function verdictOf(probe: Probe, count: ProbeCount): boolean | undefined {
  const threshold = count.success ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3)
  return count.inARow >= threshold ? count.success : undefined
}

/** Probes until disposed. */
export interface ProberOptions {
  readonly clock: Clock
  readonly probe: Probe
  readonly check: (signal: AbortSignal) => Promise<CheckResult>
  /**
   * Probes more often at first, until the first success or until the interval has grown to the
   * period: a server that starts within the first period is then ready before the second one.
   * Failures before that do not count.
   */
  readonly eager?: boolean
  /** Called for every answer once the threshold is reached; repeated verdicts included. */
  readonly onVerdict: (success: boolean, message: string) => void
}

const eagerMs = 50

/** Runs one probe of one run of a container, one check at a time. */
export function startProber({ clock, probe, check, eager = false, onVerdict }: ProberOptions): Disposable {
  const controller = new AbortController()
  let count: ProbeCount | undefined
  let timer: Disposable
  const periodMs = (probe.periodSeconds ?? 10) * 1000
  let waitMs = eager ? Math.min(eagerMs, periodMs) : periodMs

  async function ask(): Promise<void> {
    const answer = await check(controller.signal)
    if (controller.signal.aborted) return
    if (answer.success || waitMs === periodMs) count = countAnswer(count, answer.success)
    waitMs = answer.success ? periodMs : Math.min(periodMs, waitMs * 2)
    timer = clock.after(waitMs, () => void ask())
    const verdict = count === undefined ? undefined : verdictOf(probe, count)
    if (verdict !== undefined) onVerdict(verdict, answer.message)
  }
  timer = clock.after((probe.initialDelaySeconds ?? 0) * 1000, () => void ask())
  return {
    [Symbol.dispose]: () => {
      controller.abort()
      timer[Symbol.dispose]()
    },
  }
}

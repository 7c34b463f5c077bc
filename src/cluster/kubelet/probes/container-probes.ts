import type { Probe } from '#api/core/v1/container.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { check, type CheckTarget } from './check.ts'
import { startProber } from './prober.ts'

/** A kind of probe of a container. */
export type ProbeKind = 'startupProbe' | 'livenessProbe' | 'readinessProbe'

/** The probes of one run of a container. */
export interface ContainerProbes extends Disposable {
  readonly started: boolean
  readonly ready: boolean
}

/** Parameters and callbacks of probes. */
export interface ProbesOptions {
  readonly clock: Clock
  readonly target: CheckTarget
  /** Something about `started` or `ready` changed. */
  readonly onChange: () => void
  /** The startup or liveness probe gave the run up. */
  readonly onUnhealthy: (probe: ProbeKind, message: string) => void
}

/** Starts the probes of a run; liveness and readiness wait for the startup probe. */
export function startContainerProbes({ clock, target, onChange, onUnhealthy }: ProbesOptions): ContainerProbes {
  const { startupProbe, livenessProbe, readinessProbe } = target.container
  const probers = new Set<Disposable>()
  let started = startupProbe === undefined
  let ready = started && readinessProbe === undefined
  let givenUp = false

  function begin(probe: Probe, onVerdict: (success: boolean, message: string) => void, eager: boolean = false): Disposable {
    const prober = startProber({ clock, probe, eager, check: (signal) => check(clock, probe, target, signal), onVerdict })
    probers.add(prober)
    return prober
  }
  function giveUp(probe: ProbeKind, message: string): void {
    if (givenUp) return
    givenUp = true
    onUnhealthy(probe, message)
  }
  function beginSteady(): void {
    if (livenessProbe !== undefined) begin(livenessProbe, (success, message) => success || giveUp('livenessProbe', message))
    if (readinessProbe === undefined) return
    const onReadiness = (success: boolean): void => {
      if (ready === success) return
      ready = success
      onChange()
    }
    begin(readinessProbe, onReadiness, true)
  }
  if (startupProbe === undefined) beginSteady()
  else {
    const onStartup = (success: boolean, message: string): void => {
      if (!success) return giveUp('startupProbe', message)
      prober[Symbol.dispose]()
      started = true
      ready = readinessProbe === undefined
      beginSteady()
      onChange()
    }
    const prober = begin(startupProbe, onStartup, true)
  }
  return {
    get started() {
      return started
    },
    get ready() {
      return ready
    },
    [Symbol.dispose]: () => {
      for (const prober of probers) prober[Symbol.dispose]()
    },
  }
}

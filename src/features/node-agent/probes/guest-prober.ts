import { join } from 'node:path'
import type { Probe } from '#api/kubevirt/v1/probe.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { probeResultFile, runningFile, type GuestProbe } from '#features/launcher/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { replaceFile } from '#runtime/process/replace-file.ts'
import type { Guest } from '../guest/guest.ts'
import { probeByAgent, type AskAgent } from './probe-by-agent.ts'

/** Carries out the probes of guests that need their agents, for the kubelet. */
export interface GuestProber extends Disposable {
  /** Probes a guest as its VMI asks, in the background. Idempotent. */
  follow(guest: Guest, vmi: VirtualMachineInstance): void
  forget(guest: Pick<Guest, 'podUid'>): void
}

/** Settings of {@link createGuestProber}. */
export interface GuestProberOptions {
  readonly clock: Clock
  readonly ask: AskAgent
}

const defaultPeriodSeconds = 10
/** Milliseconds between checks whether the kubelet ends a guest, and before a retry. */
const stopCheckMs = 1_000

/** States of a guest that is stopped by request: QEMU dumps in `save-vm`. */
const stoppedStates: readonly (string | undefined)[] = ['paused', 'save-vm']

/** Creates the prober of a node. */
export function createGuestProber({ clock, ask }: GuestProberOptions): GuestProber {
  const followed = new Map<string, AbortController>()

  async function repeat(periodMs: number, signal: AbortSignal, action: () => Promise<boolean>): Promise<void> {
    while (!signal.aborted && (await action().catch(() => true))) await clock.sleep(periodMs, signal).catch(() => {})
  }

  async function probe(guest: Guest, kind: GuestProbe, settings: Probe, signal: AbortSignal): Promise<void> {
    await repeat((settings.periodSeconds ?? defaultPeriodSeconds) * 1000, signal, async () => {
      // A guest that a user has paused, or whose memory is dumped, answers nothing, and must not be
      // ended for it.
      const isPaused = kind === 'liveness' && stoppedStates.includes(await guest.runState())
      const failure = isPaused ? undefined : await probeByAgent(clock, (question) => ask(guest, question), settings, signal)
      if (!signal.aborted) await keepResult(guest, kind, failure ?? 'ok')
      return true
    })
  }

  return {
    follow(guest, { spec }) {
      if (followed.has(guest.podUid)) return
      const stop = new AbortController()
      followed.set(guest.podUid, stop)
      const probes = { readiness: spec.readinessProbe, liveness: spec.livenessProbe }
      for (const [kind, settings] of Object.entries(probes) as [GuestProbe, Probe | undefined][])
        if (settings?.exec !== undefined || settings?.guestAgentPing !== undefined) void probe(guest, kind, settings, stop.signal)
      if (spec.livenessProbe === undefined) return
      void repeat(stopCheckMs, stop.signal, async () => {
        await keepFile(guest, runningFile, '')
        return false
      })
      void repeat(stopCheckMs, stop.signal, async () => {
        if (!(await guest.isToldToStop())) return true
        guest.changed()
        return false
      })
    },
    forget({ podUid }) {
      followed.get(podUid)?.abort()
      followed.delete(podUid)
    },
    [Symbol.dispose]() {
      for (const stop of followed.values()) stop.abort()
      followed.clear()
    },
  }
}

const maxResultLength = 200

async function keepResult(guest: Guest, kind: GuestProbe, result: string): Promise<void> {
  const line = result.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, maxResultLength)
  await keepFile(guest, probeResultFile(kind), `${line}\n`)
}

/** Replaces a file in a folder that the launcher may write to: a link is not followed. */
function keepFile({ paths }: Guest, name: string, content: string): Promise<void> {
  return replaceFile(join(paths.sharedDirectory, name), content, { mode: 0o644, through: paths.recordDirectory })
}

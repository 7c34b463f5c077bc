import type { Client } from '#client/client.ts'
import { backoffMs } from '#runtime/clock/backoff.ts'
import { applyNamespace, writeComponent } from '../components/objects/write.ts'
import { isRefusal } from '../lifecycle/rollback/refusal.ts'
import { isWrite, type Decision } from './decide.ts'
import type { ComponentObject } from './observe.ts'
import type { Ports } from './ports.ts'

/** What became of a component in a pass. */
export interface Outcome {
  readonly decision: Decision
  /** The object after a successful write. */
  readonly written?: ComponentObject
  /** Error of this attempt, or of the last one while the next is not due. */
  readonly error?: string
  /** True if the error is an answer about the object, and not a failure to ask. */
  readonly isRefused?: true
}

/** Attempts of a component since its last success. */
interface Failure {
  readonly count: number
  readonly error: string
  readonly isRefused: boolean
  readonly retryAt: number
  /** The failed write: another one is tried at once. */
  readonly write: string
}

const retries = { initialMs: 1_000, maxMs: 300_000 } as const

/** Reverts of a component since others last left it alone. */
interface Fight {
  readonly count: number
  readonly lastAt: number
  readonly retryAt: number
}

/** Reverts that follow each other at once. */
const promptReverts = 3
/** Milliseconds without a change by others after which reverts are prompt again. */
const calmMs = 600_000

/** Dependencies of {@link ComponentWriter}. */
type WriterPorts = Pick<Ports, 'clock' | 'random' | 'log'> & { readonly client: Pick<Client, 'patch' | 'delete'> }

/** Writes the objects of the components, each with a back-off of its own. */
export class ComponentWriter {
  readonly #failures = new Map<string, Failure>()
  readonly #fights = new Map<string, Fight>()
  readonly #ports: WriterPorts

  constructor(ports: WriterPorts) {
    this.#ports = ports
  }

  /** Performs the steps side by side. An error is the outcome of its component alone. */
  async act(decisions: readonly Decision[], signal: AbortSignal): Promise<readonly Outcome[]> {
    return Promise.all(decisions.map((decision) => this.#attempt(decision, signal)))
  }

  /** Milliseconds until the next attempt of a failed component; undefined for none. */
  retryAfterMs(): number | undefined {
    const now = this.#ports.clock.now()
    const fights = [...this.#fights.values()].filter(({ retryAt }) => retryAt > now)
    const times = [...this.#failures.values(), ...fights].map(({ retryAt }) => Math.max(1, retryAt - now))
    return times.length === 0 ? undefined : Math.min(...times)
  }

  async #attempt(decision: Decision, signal: AbortSignal): Promise<Outcome> {
    const { observed, step } = decision
    const { component, resource } = observed
    const { name } = component
    if (!isWrite(step)) {
      this.#failures.delete(name)
      return { decision }
    }
    const { clock, random, log } = this.#ports
    const write = step.kind === 'remove' ? 'remove' : JSON.stringify(step.kind === 'apply' ? step.object : step.next)
    const failure = this.#failures.get(name)
    if (failure !== undefined && failure.write === write && failure.retryAt > clock.now()) return failed(decision, failure)
    const isDrift = step.kind === 'apply' && step.cause === 'drift'
    if (isDrift && (this.#fights.get(name)?.retryAt ?? 0) > clock.now()) return { decision, error: fightMessage(step) }
    try {
      if (component.createsNamespace === true && observed.present === undefined) await applyNamespace(this.#ports.client, component, signal)
      const written = resource === undefined ? undefined : await writeComponent(this.#ports.client, resource, step, { signal })
      this.#failures.delete(name)
      if (isDrift) this.#noteRevert(name)
      return { decision, ...(written === undefined ? {} : { written }) }
    } catch (error) {
      signal.throwIfAborted()
      const count = (failure?.count ?? 0) + 1
      const message = error instanceof Error ? error.message : String(error)
      const next = { count, error: message, isRefused: isRefusal(error), write, retryAt: clock.now() + backoffMs(count, retries, random) }
      this.#failures.set(name, next)
      log.warn({ component: name, error, failures: count }, 'A component could not be configured: trying again')
      return failed(decision, next)
    }
  }

  /** A rival that reverts every write would keep both busy for ever. */
  #noteRevert(name: string): void {
    const { clock, random } = this.#ports
    const now = clock.now()
    const last = this.#fights.get(name)
    const count = last !== undefined && now - last.lastAt < calmMs ? last.count + 1 : 1
    const waitMs = count < promptReverts ? 0 : backoffMs(count - promptReverts + 1, retries, random)
    this.#fights.set(name, { count, lastAt: now, retryAt: now + waitMs })
  }
}

function failed(decision: Decision, { error, isRefused }: Failure): Outcome {
  return { decision, error, ...(isRefused ? { isRefused } : {}) }
}

function fightMessage({ drift, rivals }: { readonly drift: readonly string[]; readonly rivals: readonly string[] }): string {
  const who = rivals.length === 0 ? 'others change' : `${rivals.join(', ')} changes`
  return `${who} ${drift.join(', ')} again and again: it is reverted less and less often`
}

import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { backoffMs } from '#runtime/clock/backoff.ts'
import type { Decision } from './decide.ts'
import { operatorName } from './names.ts'
import type { ComponentObject } from './observe.ts'
import type { Ports } from './ports.ts'

/** What became of a component in a pass. */
export interface Outcome {
  readonly decision: Decision
  /** The object after a successful write. */
  readonly written?: ComponentObject
  /** Error of this attempt, or of the last one while the next is not due. */
  readonly error?: string
}

/** Attempts of a component since its last success. */
interface Failure {
  readonly count: number
  readonly error: string
  readonly retryAt: number
  /** The failed write: another one is tried at once. */
  readonly write: string
}

const retries = { initialMs: 1_000, maxMs: 300_000 } as const

/** Writes the objects of the components, each with a back-off of its own. */
export class ComponentWriter {
  readonly #failures = new Map<string, Failure>()
  readonly #ports: Pick<Ports, 'client' | 'clock' | 'random' | 'log'>

  constructor(ports: Pick<Ports, 'client' | 'clock' | 'random' | 'log'>) {
    this.#ports = ports
  }

  /** Performs the steps side by side. An error is the outcome of its component alone. */
  async act(decisions: readonly Decision[], signal: AbortSignal): Promise<readonly Outcome[]> {
    return Promise.all(decisions.map((decision) => this.#attempt(decision, signal)))
  }

  /** Milliseconds until the next attempt of a failed component; undefined for none. */
  retryAfterMs(): number | undefined {
    const times = [...this.#failures.values()].map(({ retryAt }) => Math.max(1, retryAt - this.#ports.clock.now()))
    return times.length === 0 ? undefined : Math.min(...times)
  }

  async #attempt(decision: Decision, signal: AbortSignal): Promise<Outcome> {
    const { name } = decision.observed.component
    const { step } = decision
    if (step.kind !== 'apply' && step.kind !== 'remove') {
      this.#failures.delete(name)
      return { decision }
    }
    const { clock, random, log } = this.#ports
    const write = step.kind === 'apply' ? JSON.stringify(step.object) : 'remove'
    const failure = this.#failures.get(name)
    if (failure !== undefined && failure.write === write && failure.retryAt > clock.now()) return { decision, error: failure.error }
    try {
      const written = await this.#write(decision, signal)
      this.#failures.delete(name)
      return { decision, ...(written === undefined ? {} : { written }) }
    } catch (error) {
      signal.throwIfAborted()
      const count = (failure?.count ?? 0) + 1
      const message = error instanceof Error ? error.message : String(error)
      this.#failures.set(name, { count, error: message, write, retryAt: clock.now() + backoffMs(count, retries, random) })
      log.warn({ component: name, error, failures: count }, 'A component could not be configured: trying again')
      return { decision, error: message }
    }
  }

  async #write({ observed: { resource }, step }: Decision, signal: AbortSignal): Promise<ComponentObject | undefined> {
    const { client } = this.#ports
    if (resource === undefined) return undefined
    if (step.kind === 'apply') {
      // One manager owns what it applies: a field that is not rendered any more is removed.
      return client.patch(
        resource,
        addressOf(step.object),
        { type: 'apply', body: step.object, fieldManager: operatorName, force: true },
        { signal },
      )
    }
    if (step.kind === 'remove') {
      const { uid = '' } = step.object.metadata ?? {}
      await client.delete(resource, addressOf(step.object), { preconditions: { uid }, signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
    }
    return undefined
  }
}

function addressOf(object: KubeObject): { readonly namespace?: string; readonly name: string } {
  const { namespace, name } = keyOf(object)
  return namespace === '' ? { name } : { namespace, name }
}

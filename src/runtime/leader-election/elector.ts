import { isAlreadyExists, isConflict } from '#apimachinery/errors.ts'
import type { Lease, LeaseSpec } from '#api/coordination/v1/lease.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { Clock } from '../clock/clock.ts'
import { unlessAborted } from '../clock/abort.ts'
import type { Logger } from '../process/log.ts'
import { createOutage, type Outage } from '../clock/outage.ts'
import { systemRandom } from '../process/random.ts'
import type { Random } from '../process/random.ts'
import { LeadershipLost } from './leadership-lost.ts'
import { microTime } from './micro-time.ts'

/** Ensures that at most one of all processes with the same lease leads. */
export interface LeaderElector {
  /**
   * Campaigns until elected, then calls `lead` and renews the lease while it runs. When the signal
   * aborts, `lead` is stopped and the lease is released. Rejects with {@link LeadershipLost} when
   * the lease could not be renewed in time, after `lead` has stopped.
   */
  run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void>
  readonly isLeader: boolean
  /** Reports whether another process leads, and this one waits. */
  readonly isStandby: boolean
}

/** The part of the client that an elector needs. */
export type LeaseClient = Pick<Client, 'get' | 'create' | 'update'>

/** Dependencies and options of an elector. */
export interface LeaderElectorOptions {
  readonly client: LeaseClient
  readonly namespace: string
  readonly name: string
  /**
   * Unique among live processes, and the same after a restart: then the restarted process leads
   * again at once.
   */
  readonly identity: string
  readonly clock: Clock
  readonly log: Logger
  /** Milliseconds without renewal after which another process may take over. Default 15 000. */
  readonly leaseDurationMs?: number
  /**
   * Milliseconds without renewal after which the leader gives up; less than the lease's duration.
   * Default 10 000.
   */
  readonly renewDeadlineMs?: number
  /** Milliseconds between two tries, stretched by up to 20 %. Default 2 000. */
  readonly retryMs?: number
  readonly random?: Random
}

/** Creates an elector on a Lease object. It may run once. */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  return new LeaseElector(options)
}

/**
 * The lease as last read. `expired` turns true by a timer of our own: times of other machines are
 * never compared with ours.
 */
interface Observed {
  readonly lease: Lease
  expired: boolean
  readonly timer: Disposable
}

/** Time until which the lease is certainly held. */
interface Deadline {
  readonly signal: AbortSignal
  disarm(): void
}

class LeaseElector implements LeaderElector {
  readonly #options: Required<LeaderElectorOptions>
  readonly #log: Logger
  readonly #outage: Outage
  #observed: Observed | undefined
  #leading = false

  constructor(options: LeaderElectorOptions) {
    this.#options = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000, random: systemRandom, ...options }
    const { leaseDurationMs, renewDeadlineMs, retryMs } = this.#options
    if (!(retryMs * 1.2 < renewDeadlineMs && renewDeadlineMs < leaseDurationMs)) {
      throw new RangeError(`Times must grow from retry (${retryMs}) over renewal (${renewDeadlineMs}) to duration (${leaseDurationMs})`)
    }
    this.#log = options.log.child({ lease: `${options.namespace}/${options.name}`, identity: options.identity })
    this.#outage = createOutage({ clock: options.clock, log: this.#log })
  }

  get isLeader(): boolean {
    return this.#leading
  }

  get isStandby(): boolean {
    const { lease, expired } = this.#observed ?? {}
    const holder = lease?.spec?.holderIdentity ?? ''
    return !this.#leading && holder !== '' && holder !== this.#options.identity && expired === false
  }

  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      const held = await this.#campaign(signal)
      if (held !== undefined) await this.#reign(signal, lead, held)
    } finally {
      this.#observed?.timer[Symbol.dispose]()
    }
  }

  /** Tries until the lease is ours. Undefined when the signal aborted first. */
  async #campaign(signal: AbortSignal): Promise<Deadline | undefined> {
    while (!signal.aborted) {
      const deadline = this.#armDeadline()
      if (await this.#tryWithin(deadline, signal)) return deadline
      deadline.disarm()
      await this.#pause(signal)
    }
    return undefined
  }

  async #reign(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>, held: Deadline): Promise<void> {
    const stop = new AbortController()
    const onAbort = (): void => stop.abort(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    this.#leading = true
    this.#log.info({}, 'Leading')
    const renewing = new AbortController()
    const renewed = this.#renew(held, renewing.signal).then((loss) => {
      if (loss !== undefined) stop.abort(loss)
      return loss
    })
    try {
      await lead(stop.signal)
    } finally {
      this.#leading = false
      signal.removeEventListener('abort', onAbort)
      renewing.abort()
      if ((await renewed) === undefined) await this.#release()
    }
    const loss = await renewed
    if (loss !== undefined) throw loss
  }

  /**
   * Renews until stopped (undefined), or until the last renewal is too old. A renewal counts from
   * the time at which it was sent.
   */
  async #renew(held: Deadline, signal: AbortSignal): Promise<LeadershipLost | undefined> {
    let current = held
    const { name } = this.#options
    try {
      while (!signal.aborted) {
        await this.#pause(AbortSignal.any([signal, current.signal]))
        if (signal.aborted) return undefined
        if (current.signal.aborted) return new LeadershipLost(`Lease "${name}" could not be renewed in time`)
        const next = this.#armDeadline()
        if (await this.#tryWithin(current, signal)) {
          current.disarm()
          current = next
          continue
        }
        next.disarm()
        if (this.#takenByOther()) return new LeadershipLost(`Lease "${name}" was taken by "${this.#holder()}"`)
      }
      return undefined
    } finally {
      current.disarm()
    }
  }

  #armDeadline(): Deadline {
    const controller = new AbortController()
    const timer = this.#options.clock.after(this.#options.renewDeadlineMs, () => controller.abort())
    return { signal: controller.signal, disarm: () => timer[Symbol.dispose]() }
  }

  /**
   * A response after the deadline does not count: another process may have seen the lease expire.
   */
  async #tryWithin(deadline: Deadline, signal: AbortSignal): Promise<boolean> {
    const limit = AbortSignal.any([deadline.signal, signal])
    const held = await unlessAborted(this.#tryHold(limit), limit, false)
    return held && !limit.aborted
  }

  /** One try to get or renew the lease. Optimistic concurrency decides between rivals. */
  async #tryHold(signal: AbortSignal): Promise<boolean> {
    try {
      const lease = await this.#read(signal)
      this.#outage.ended()
      if (signal.aborted) return false
      if (lease === undefined) {
        this.#observe(await this.#options.client.create<Lease>(leases, this.#newLease(), { signal }))
        return true
      }
      if (this.#observed === undefined || changed(this.#observed.lease, lease)) this.#observe(lease)
      if (!this.#mayTake(lease)) return false
      this.#observe(await this.#options.client.update<Lease>(leases, this.#claim(lease), { signal }))
      return true
    } catch (error) {
      const rival = isConflict(error) || isAlreadyExists(error)
      if (!signal.aborted && !rival) this.#outage.failed({ error }, 'Cannot reach the lease: trying again')
      return false
    }
  }

  #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { client, namespace, name } = this.#options
    return found(client.get<Lease>(leases, { namespace, name }, { signal }))
  }

  #mayTake(lease: Lease): boolean {
    const holder = lease.spec?.holderIdentity ?? ''
    return holder === '' || holder === this.#options.identity || this.#observed?.expired === true
  }

  #holder(): string {
    return this.#observed?.lease.spec?.holderIdentity ?? ''
  }

  #takenByOther(): boolean {
    return this.#holder() !== '' && this.#holder() !== this.#options.identity
  }

  #observe(lease: Lease): void {
    this.#observed?.timer[Symbol.dispose]()
    const seconds = lease.spec?.leaseDurationSeconds
    const durationMs = seconds === undefined ? this.#options.leaseDurationMs : seconds * 1000
    const observed: Observed = { lease, expired: false, timer: this.#options.clock.after(durationMs, () => (observed.expired = true)) }
    this.#observed = observed
  }

  #newLease(): Lease {
    const { namespace, name } = this.#options
    return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec: this.#spec(undefined) }
  }

  #claim(lease: Lease): Lease {
    return { ...lease, spec: this.#spec(lease.spec) }
  }

  #spec(old: LeaseSpec | undefined): LeaseSpec {
    const { identity, leaseDurationMs, clock } = this.#options
    const now = microTime(clock.now())
    const mine = old?.holderIdentity === identity
    const transitions = old?.leaseTransitions ?? 0
    return {
      ...old,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: mine ? (old.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: mine || old === undefined ? transitions : transitions + 1,
    }
  }

  /** Lets the next process take over at once. Best effort: the lease expires anyway. */
  async #release(): Promise<void> {
    const limit = new AbortController()
    using _timer = this.#options.clock.after(this.#options.retryMs, () => limit.abort())
    await unlessAborted(this.#giveBack(limit.signal), limit.signal, undefined)
  }

  /** Reads first: the last renewal may have been stored without our seeing the answer. */
  async #giveBack(signal: AbortSignal): Promise<void> {
    try {
      const lease = await this.#read(signal)
      if (lease?.spec?.holderIdentity !== this.#options.identity) return
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(this.#options.clock.now()) }
      await this.#options.client.update<Lease>(leases, { ...lease, spec }, { signal })
    } catch (error) {
      this.#log.debug({ error }, 'Could not give the lease back')
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, retryMs, random } = this.#options
    await clock.sleep(retryMs * (1 + 0.2 * random()), signal).catch(() => {})
  }
}

function changed(a: Lease, b: Lease): boolean {
  return a.metadata.uid !== b.metadata.uid || a.metadata.resourceVersion !== b.metadata.resourceVersion
}

import assert from 'node:assert/strict'
import type { Clock } from '#runtime/clock/clock.ts'

/**
 * A QEMU process. `paused`: it has the guest's memory and does not run it, because it has sent all
 * of it, or has received all of it and waits for the handover.
 */
export interface Qemu {
  readonly podUid: string
  readonly guest: string
  readonly node: string
  state: 'running' | 'incoming' | 'paused'
  stream: Stream | undefined
}

/** A memory transfer in progress. */
export interface Stream {
  readonly migration: string
  readonly target: Qemu
  readonly endsAt: number
  state: 'flows' | 'completed' | 'failed'
}

/** All QEMUs of the cluster. It knows no API objects, and refuses to run a guest twice. */
export class Hypervisor {
  /** Called when the QEMU that runs a guest has ended, or the last one that has its memory. */
  onLost: (qemu: Qemu, why: string) => void = () => {}
  /** Called at the start of a memory transfer. */
  onStream: (source: Qemu) => void = () => {}
  readonly #clock: Pick<Clock, 'now' | 'after'>
  readonly #qemus = new Map<string, Qemu>()
  readonly #byGuest = new Map<string, Set<Qemu>>()
  readonly #launched = new Set<string>()
  /** Guests that have ended. Their former source may still exist. */
  readonly #lost = new Set<string>()
  /** Sources of transfers that are active or have just ended. */
  readonly #sources = new Set<Qemu>()

  constructor(clock: Pick<Clock, 'now' | 'after'>) {
    this.#clock = clock
  }

  get(podUid: string): Qemu | undefined {
    return this.#qemus.get(podUid)
  }

  /** Reports whether a QEMU was ever started in a pod. */
  wasLaunched(podUid: string): boolean {
    return this.#launched.has(podUid)
  }

  ofGuest(guest: string): readonly Qemu[] {
    return [...(this.#byGuest.get(guest) ?? [])]
  }

  /** Returns the sources of active transfers. */
  streaming(): readonly Qemu[] {
    for (const source of this.#sources) {
      if (source.stream?.state !== 'flows' || this.#qemus.get(source.podUid) !== source) this.#sources.delete(source)
    }
    return [...this.#sources]
  }

  launch(podUid: string, guest: string, node: string, state: 'running' | 'incoming'): Qemu {
    assert.ok(!this.#launched.has(podUid), `a second QEMU in pod ${podUid}`)
    const qemu: Qemu = { podUid, guest, node, state: 'incoming', stream: undefined }
    this.#launched.add(podUid)
    this.#qemus.set(podUid, qemu)
    this.#byGuest.getOrInsertComputed(guest, () => new Set<Qemu>()).add(qemu)
    if (state === 'running') this.run(qemu)
    return qemu
  }

  run(qemu: Qemu): void {
    const other = this.ofGuest(qemu.guest).find(({ state, podUid }) => state === 'running' && podUid !== qemu.podUid)
    assert.equal(other, undefined, `guest ${qemu.guest} runs twice: on ${other?.node} and ${qemu.node}`)
    qemu.state = 'running'
    qemu.stream = undefined
  }

  /** Transfers memory for a duration. Afterwards both sides have the guest, and neither runs it. */
  stream(
    source: Qemu,
    target: Qemu,
    { migration, ms, fails }: { readonly migration: string; readonly ms: number; readonly fails: boolean },
  ): void {
    const stream: Stream = { migration, target, endsAt: this.#clock.now() + ms, state: 'flows' }
    source.stream = stream
    this.#sources.add(source)
    this.onStream(source)
    this.#clock.after(ms, () => {
      if (source.stream !== stream || stream.state !== 'flows') return
      const areThere = this.#qemus.has(source.podUid) && this.#qemus.has(target.podUid)
      stream.state = fails || !areThere ? 'failed' : 'completed'
      if (stream.state === 'completed') source.state = target.state = 'paused'
    })
  }

  /** Ends a QEMU for any reason. */
  end(podUid: string, why: string): void {
    const qemu = this.#qemus.get(podUid)
    if (qemu === undefined) return
    this.#qemus.delete(podUid)
    const left = this.#byGuest.get(qemu.guest)
    left?.delete(qemu)
    for (const other of left ?? []) if (other.stream?.target === qemu && other.stream.state === 'flows') other.stream.state = 'failed'
    // One that never got the guest takes nothing with it.
    const isLast = qemu.state !== 'incoming' && ![...(left ?? [])].some(({ state }) => state !== 'incoming')
    if (this.#lost.has(qemu.guest) || (qemu.state !== 'running' && !isLast)) return
    this.#lost.add(qemu.guest)
    this.onLost(qemu, why)
  }

  /** Ends all QEMUs of a node that lost power. */
  endAllOn(node: string): void {
    for (const qemu of this.#qemus.values()) if (qemu.node === node) this.end(qemu.podUid, 'the node has died')
  }
}

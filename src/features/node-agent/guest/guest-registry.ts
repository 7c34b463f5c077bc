import { readdir } from 'node:fs/promises'
import {
  containedLauncherPaths,
  launcherPaths,
  readLaunchRecord,
  removeAbandonedSockets,
  type LauncherPaths,
  type LaunchRecord,
} from '#features/launcher/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { Guest } from './guest.ts'

/** Milliseconds in which a QEMU has to answer to be counted. */
const countTimeoutMs = 2_000

/** Directories of the guests of one node. */
export interface RegistryOptions {
  /**
   * The kubelet's pod directory, one folder per pod UID, for launchers without mounts of their own.
   * Absent for launchers in containers.
   */
  readonly podsDirectory?: string
  /** Directory for unix sockets; its path must be short. */
  readonly runDirectory: string
  readonly clock: Clock
}

/** The guests of this node by pod UID. */
export class GuestRegistry implements Disposable {
  readonly #directories: RegistryOptions
  readonly #onChange: (request: Request) => void
  readonly #guests = new Map<string, { readonly request: Request; readonly guest: Guest }>()

  /** `onChange` is called with the VMI's key when a guest's QEMU raises an event. */
  constructor(directories: RegistryOptions, onChange: (request: Request) => void) {
    this.#directories = directories
    this.#onChange = onChange
  }

  /** Returns the guest of the pod. `request` is the key of its VMI. */
  getOrCreate(podUid: string, request: Request): Guest {
    const known = this.#guests.get(podUid)
    if (known !== undefined) return known.guest
    const guest = new Guest(podUid, this.pathsOf(podUid), this.#directories.clock, () => this.#onChange(request))
    this.#guests.set(podUid, { request, guest })
    return guest
  }

  /** Returns all guests that belong or belonged to the VMI. */
  forVmi({ namespace, name }: Request): readonly Guest[] {
    return [...this.#guests.values()]
      .filter(({ request }) => request.namespace === namespace && request.name === name)
      .map(({ guest }) => guest)
  }

  /** Iterates over all guests with the keys of their VMIs. */
  *all(): Generator<Request & { readonly guest: Guest }> {
    for (const { request, guest } of this.#guests.values()) yield { ...request, guest }
  }

  forget(guest: Guest): void {
    guest[Symbol.dispose]()
    this.#guests.delete(guest.podUid)
  }

  /** Counts the guests whose QEMU answers in time. A slow one must not delay the heartbeat. */
  async countAnswering(): Promise<number> {
    const { clock } = this.#directories
    const states = await Promise.all(
      [...this.#guests.values()].map(({ guest }) => {
        const { promise: late, resolve } = Promise.withResolvers<undefined>()
        const timer = clock.after(countTimeoutMs, () => resolve(undefined))
        return Promise.race([guest.runState().catch(() => undefined), late]).finally(() => timer[Symbol.dispose]())
      }),
    )
    return states.filter((state) => state !== undefined).length
  }

  /**
   * Restores the guests of earlier agents from their launch records, and enqueues each. Removes
   * what is left of those that have none any more.
   */
  async discover(): Promise<readonly LaunchRecord[]> {
    const { podsDirectory, runDirectory } = this.#directories
    if (podsDirectory !== undefined) await removeAbandonedSockets(runDirectory)
    // The folders of containers have shortened names; the record has the whole UID.
    const names = await readdir(podsDirectory ?? runDirectory).catch(() => [])
    const records: LaunchRecord[] = []
    for (const name of names) {
      const record = await readLaunchRecord(this.pathsOf(name)).catch(() => undefined)
      if (record === undefined) continue
      records.push(record)
      const request = { namespace: record.vmi.namespace, name: record.vmi.name }
      this.getOrCreate(podsDirectory === undefined ? record.pod.uid : name, request)
      this.#onChange(request)
    }
    return records
  }

  /** Returns the directories of a pod of this node. */
  pathsOf(podUid: string): LauncherPaths {
    const { podsDirectory, runDirectory } = this.#directories
    return podsDirectory === undefined ? containedLauncherPaths(runDirectory, podUid) : launcherPaths(podsDirectory, runDirectory, podUid)
  }

  [Symbol.dispose](): void {
    for (const { guest } of this.#guests.values()) guest[Symbol.dispose]()
    this.#guests.clear()
  }
}

import { readdir } from 'node:fs/promises'
import { launcherPaths, readLaunchRecord, type LaunchRecord } from '#features/launcher/index.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { Guest } from './guest.ts'

/** Where guests live on this node. */
export interface RegistryOptions {
  /** The kubelet's directory of pods, by uid. */
  readonly podsDirectory: string
  /** Short directory for unix sockets. */
  readonly runDirectory: string
  readonly clock: Clock
}

/** The guests of this node, by pod. */
export class GuestRegistry implements Disposable {
  readonly #directories: RegistryOptions
  readonly #onChange: (request: Request) => void
  readonly #guests = new Map<string, { readonly request: Request; readonly guest: Guest }>()

  /** `onChange` is called with the VMI of a guest that has something to tell. */
  constructor(directories: RegistryOptions, onChange: (request: Request) => void) {
    this.#directories = directories
    this.#onChange = onChange
  }

  /** The guest in a pod, which belongs to the VMI of this name. */
  getOrCreate(podUid: string, request: Request): Guest {
    const known = this.#guests.get(podUid)
    if (known !== undefined) return known.guest
    const { podsDirectory, runDirectory, clock } = this.#directories
    const guest = new Guest(podUid, launcherPaths(podsDirectory, runDirectory, podUid), clock, () => this.#onChange(request))
    this.#guests.set(podUid, { request, guest })
    return guest
  }

  /** All guests that belong or belonged to a VMI of this name. */
  forVmi({ namespace, name }: Request): readonly Guest[] {
    return [...this.#guests.values()]
      .filter(({ request }) => request.namespace === namespace && request.name === name)
      .map(({ guest }) => guest)
  }

  /** All guests of this node, with their VMIs' names. */
  *all(): Generator<Request & { readonly guest: Guest }> {
    for (const { request, guest } of this.#guests.values()) yield { ...request, guest }
  }

  forget(guest: Guest): void {
    guest[Symbol.dispose]()
    this.#guests.delete(guest.podUid)
  }

  /** How many have a QEMU that answers. */
  async countAnswering(): Promise<number> {
    const states = await Promise.all([...this.#guests.values()].map(({ guest }) => guest.runState().catch(() => undefined)))
    return states.filter((state) => state !== undefined).length
  }

  /** Finds what earlier agents have launched, and tells of each. */
  async discover(): Promise<readonly LaunchRecord[]> {
    const { podsDirectory, runDirectory } = this.#directories
    const podUids = await readdir(podsDirectory).catch(() => [])
    const records: LaunchRecord[] = []
    for (const podUid of podUids) {
      const record = await readLaunchRecord(launcherPaths(podsDirectory, runDirectory, podUid)).catch(() => undefined)
      if (record === undefined) continue
      records.push(record)
      const request = { namespace: record.vmi.namespace, name: record.vmi.name }
      this.getOrCreate(podUid, request)
      this.#onChange(request)
    }
    return records
  }

  [Symbol.dispose](): void {
    for (const { guest } of this.#guests.values()) guest[Symbol.dispose]()
    this.#guests.clear()
  }
}

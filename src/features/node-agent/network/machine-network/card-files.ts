import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceWatchedFile } from '#runtime/network/network-namespace.ts'
import { readIfThere } from '#runtime/process/replace-file.ts'
import { UnsupportedGuest } from '../../domain/unsupported-guest.ts'
import type { OpenPorts } from '../open-ports.ts'

/** An attached card, as the nodes of a machine know it. */
export interface AttachedCard {
  readonly podUid: string
  readonly node: string
  /** `namespace/name` */
  readonly vmi: string
  readonly tap: string
  readonly mac: string
  /** Address of the guest. Absent on a network that gives none. */
  readonly address?: string
  /** Ports that are open. Absent: all. Pod network only. */
  readonly ports?: readonly OpenPorts[]
  /** Rules of its network. Absent on the pod network, which has its own. */
  readonly plugged?: { readonly checksMac: boolean; readonly hasPool: boolean }
}

/** The cards of all nodes of a machine: a folder with a file for each, named by its tap device. */
export class CardFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async list(): Promise<AttachedCard[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => name.startsWith('tap'))
    return (await Promise.all(names.map((name) => this.get(name)))).filter((card) => card !== undefined)
  }

  async get(tap: string): Promise<AttachedCard | undefined> {
    const text = await readIfThere(join(this.#folder, tap))
    return text === undefined ? undefined : (JSON.parse(text) as AttachedCard)
  }

  /** @throws UnsupportedGuest when the guest of another VMI has the card's MAC address */
  async add(card: AttachedCard, interfaceName: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await replaceWatchedFile(join(this.#folder, card.tap), JSON.stringify(card))
    // Of two that start at once, each sees the other.
    const owner = (await this.list()).find(({ mac, vmi }) => mac === card.mac && vmi !== card.vmi)
    if (owner === undefined) return
    await this.remove(card.tap)
    throw new UnsupportedGuest(
      `MAC address ${card.mac} of interface "${interfaceName}" belongs to VMI ${owner.vmi}: every guest needs its own`,
    )
  }

  async remove(tap: string): Promise<void> {
    await rm(join(this.#folder, tap), { force: true })
  }
}

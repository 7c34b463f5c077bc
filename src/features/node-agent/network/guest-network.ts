import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Interface, ProcessIdentity } from '#qemu/index.ts'
import type { NetworkDialer } from '#runtime/network/network-dialer.ts'
import type { CardCounters } from './card-counters.ts'

/** The launcher of a guest on this node. */
export interface GuestLauncher {
  readonly podUid: string
  /** Folder that only the node agent may write, and that ends with the pod. */
  readonly recordDirectory: string
  /** Its process on the node. Undefined before it runs, and after its end. */
  readonly process: ProcessIdentity | undefined
}

/** The launcher of a guest, whose cards are attached. */
export interface GuestCards {
  readonly launcher: GuestLauncher
  readonly vmi: VirtualMachineInstance
  /** Address of the launcher's pod. */
  readonly address: string
  readonly interfaces: readonly Interface[]
  /** User of its QEMU. Undefined: that of the node agent, or of launchers in containers. */
  readonly user?: number | undefined
}

/** Connects the cards of guests to the pod network, and to those beside it. */
export interface GuestNetwork extends Disposable {
  /** Reaches the guests at their addresses. */
  readonly dialer: NetworkDialer
  /**
   * Returns the pod's address, at which the guest is reached; undefined for a pod whose guest can
   * have no network.
   */
  addressOf(pod: Pod | undefined): string | undefined
  /** Returns the addresses of cards on secondary networks, by the name of the card. */
  addressesOf(launcher: GuestLauncher, cards: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Reads the counters of tap devices by their names: those of the launchers, and maybe of others.
   * A launcher that has ended is left out.
   */
  readCounters(launchers: readonly GuestLauncher[]): Promise<ReadonlyMap<string, CardCounters>>
  /**
   * Creates the tap devices, and has DHCP answer the guest. Idempotent. @throws UnsupportedGuest,
   * LauncherNotReady
   */
  attach(cards: GuestCards): Promise<void>
  /** Removes what {@link attach} made for one card on a secondary network. Idempotent. */
  detachCard(launcher: GuestLauncher, card: string): Promise<void>
  /** Removes what {@link attach} made for a launcher. Idempotent. */
  detach(podUid: string): Promise<void>
  /**
   * Takes over the launchers of this node from an earlier agent, and removes what is left of others
   * of this node.
   */
  resume(launchers: readonly GuestLauncher[]): Promise<void>
}

import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Interface, ProcessIdentity } from '#qemu/index.ts'

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
}

/** Connects the cards of guests to the pod network. */
export interface GuestNetwork extends Disposable {
  /**
   * Returns the pod's address, at which the guest is reached; undefined for a pod whose guest can
   * have no network.
   */
  addressOf(pod: Pod | undefined): string | undefined
  /**
   * Creates the tap devices, and has DHCP answer the guest. Idempotent. @throws UnsupportedGuest,
   * LauncherNotReady
   */
  attach(cards: GuestCards): Promise<void>
  /** Removes what {@link attach} made for a launcher. Idempotent. */
  detach(podUid: string): Promise<void>
  /**
   * Takes over the launchers of this node from an earlier agent, and removes what is left of others
   * of this node.
   */
  resume(launchers: readonly GuestLauncher[]): Promise<void>
}

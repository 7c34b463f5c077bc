import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Domain } from '#qemu/index.ts'
import { LauncherNotReady, type Guest } from '../guest/guest.ts'
import { podOf, type Ports } from '../guest/ports.ts'
import type { GuestLauncher } from './guest-network.ts'

/**
 * Connects the cards of a guest before its QEMU starts. @throws LauncherNotReady before the kubelet
 * has reported the pod's address, UnsupportedGuest
 */
export async function attachCards(
  ports: Pick<Ports, 'network' | 'pods'>,
  guest: Guest,
  vmi: VirtualMachineInstance,
  { interfaces }: Domain,
): Promise<void> {
  const { network } = ports
  const { podUid } = guest
  if (network === undefined || interfaces.every(({ backend }) => backend.kind !== 'tap')) return
  const address = network.addressOf(podOf(ports, guest, vmi))
  if (address === undefined) throw new LauncherNotReady(`the kubelet has not reported the address of pod ${podUid}`)
  await network.attach({ launcher: await launcherOf(guest), vmi, address, interfaces })
}

/** Returns the launcher of a guest, as networks take it. */
export async function launcherOf(guest: Guest): Promise<GuestLauncher> {
  const { podUid, paths } = guest
  const launcher = await guest.inspect()
  return { podUid, recordDirectory: paths.recordDirectory, process: launcher.kind === 'running' ? launcher.identity : undefined }
}

import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isSecondary } from '#features/network-attachment/index.ts'
import type { Domain, ProcessIdentity } from '#qemu/index.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import { LauncherNotReady, type Guest } from '../guest/guest.ts'
import { podOf, type Ports } from '../guest/ports.ts'
import type { GuestLauncher } from './guest-network.ts'

/**
 * Connects the cards of a guest before its QEMU starts. @throws LauncherNotReady before the kubelet
 * has reported the pod's address, UnsupportedGuest
 */
export async function attachCards(
  ports: Pick<Ports, 'network' | 'isolation' | 'pods'>,
  guest: Guest,
  vmi: VirtualMachineInstance,
  { interfaces }: Pick<Domain, 'interfaces'>,
): Promise<void> {
  const { network } = ports
  const { podUid } = guest
  if (network === undefined || interfaces.every(({ backend }) => backend.kind !== 'tap')) {
    const secondary = vmi.spec.networks?.find(isSecondary)
    if (secondary === undefined) return
    throw new UnsupportedGuest(`this node cannot connect guests to network "${secondary.name}": "steadyvm doctor" says why`)
  }
  const address = network.addressOf(podOf(ports, guest, vmi))
  if (address === undefined) throw new LauncherNotReady(`the kubelet has not reported the address of pod ${podUid}`)
  await network.attach({ launcher: await launcherOf(guest), vmi, address, interfaces, user: ports.isolation?.userOf(vmi).uid })
}

/** Returns the addresses that networks give to the cards of a guest, by the name of the card. */
export async function addressesOf(
  ports: Pick<Ports, 'network' | 'pods'>,
  guest: Guest,
  vmi: VirtualMachineInstance,
): Promise<ReadonlyMap<string, string>> {
  const { network } = ports
  const networks = vmi.spec.networks ?? []
  const address = network?.addressOf(podOf(ports, guest, vmi))
  if (network === undefined || address === undefined) return new Map()
  const onPods = networks.filter((one) => !isSecondary(one)).map(({ name }) => [name, address] as const)
  const others = networks.filter(isSecondary).map(({ name }) => name)
  return new Map([...onPods, ...(others.length === 0 ? [] : await network.addressesOf(await launcherOf(guest), others))])
}

/** Returns the launcher of a guest, as networks take it. */
export async function launcherOf(guest: Guest): Promise<GuestLauncher> {
  const launcher = await guest.inspect()
  return toLauncher(guest, launcher.kind === 'running' ? launcher.identity : undefined)
}

/** Returns the same of a guest that was inspected already. Pure. */
export function toLauncher({ podUid, paths }: Guest, process: ProcessIdentity | undefined): GuestLauncher {
  return { podUid, recordDirectory: paths.recordDirectory, process }
}

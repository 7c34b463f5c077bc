import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { podsByVmi } from '#features/vmi/index.ts'
import type { Domain } from '#qemu/index.ts'
import { LauncherNotReady, type Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'

/**
 * Connects the cards of a guest before its QEMU starts. @throws LauncherNotReady before the kubelet
 * has reported the pod's address, UnsupportedGuest
 */
export async function attachCards(
  { network, pods }: Pick<Ports, 'network' | 'pods'>,
  { podUid }: Guest,
  vmi: VirtualMachineInstance,
  { interfaces }: Domain,
): Promise<void> {
  if (network === undefined || interfaces.every(({ backend }) => backend.kind !== 'tap')) return
  const pod = pods.byIndex(podsByVmi, vmi.metadata.uid ?? '').find(({ metadata }) => metadata.uid === podUid)
  const address = network.addressOf(pod)
  if (address === undefined) throw new LauncherNotReady(`the kubelet has not reported the address of pod ${podUid}`)
  await network.attach({ podUid, vmi, address, interfaces })
}

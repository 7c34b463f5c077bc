import type { VirtualMachineInstanceUsage } from '#features/guest-access/index.ts'
import { internalError } from '#apimachinery/errors.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ProcessIdentity } from '#qemu/index.ts'
import type { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import { toLauncher } from '../network/attach-cards.ts'
import type { CardCounters } from '../network/card-counters.ts'
import type { GuestLoad, LoadReader } from './guest-load.ts'
import { cardsOf, hasCards } from './guest-metrics.ts'

/** Reads what a running guest has used. @throws StatusError 500 if QEMU does not answer */
export type UsageReader = (guest: Guest, vmi: { readonly namespace: string; readonly name: string }) => Promise<VirtualMachineInstanceUsage>

/** Dependencies of {@link createUsageReader}. */
export interface UsageReaderOptions extends Pick<Ports, 'vmis' | 'network'> {
  readonly loads: LoadReader
  readonly clock: Pick<Clock, 'now'>
}

/** Creates a reader of the usage of this node's guests, which asks QEMU and the node. */
export function createUsageReader({ vmis, network, loads, clock }: UsageReaderOptions): UsageReader {
  return async (guest, { namespace, name }) => {
    const launcher = await guest.inspect()
    const vmi = vmis.get(namespace, name)
    const process = launcher.kind === 'running' ? launcher.identity : undefined
    const load = process === undefined ? undefined : await loads.read(guest, process.pid)
    if (process === undefined || load === undefined || vmi === undefined) throw internalError('QEMU does not answer')
    const counters = hasCards(vmi) ? await network?.readCounters([toLauncher(guest, process)]) : undefined
    return usageOf({ process, load, cards: cardsOf(vmi, guest, counters ?? new Map()) }, clock.now())
  }
}

/** What a node agent has read of one guest. */
export interface UsageReading {
  readonly process: ProcessIdentity
  readonly load: GuestLoad
  readonly cards: ReadonlyMap<string, CardCounters>
}

/** Returns the answer of `usage`. Pure. */
export function usageOf({ process, load, cards }: UsageReading, nowMs: number): VirtualMachineInstanceUsage {
  const { residentBytes, userSeconds, systemSeconds } = load.process
  const { domainBytes, totalBytes, availableBytes } = load.memory
  return {
    apiVersion: 'subresources.kubevirt.io/v1',
    kind: 'VirtualMachineInstanceUsage',
    timestamp: new Date(nowMs).toISOString(),
    run: `${process.pid}-${process.startTicks}`,
    cpuSeconds: userSeconds + systemSeconds,
    memory: {
      residentBytes,
      domainBytes,
      ...(totalBytes === undefined || availableBytes === undefined ? {} : { guestUsedBytes: totalBytes - availableBytes }),
    },
    disks: load.disks.map(({ disk, reads, writes, readBytes, writtenBytes }) => ({ name: disk, reads, writes, readBytes, writtenBytes })),
    interfaces: [...cards].map(([name, { received, transmitted }]) => ({
      name,
      receivedBytes: received.bytes,
      transmittedBytes: transmitted.bytes,
    })),
  }
}

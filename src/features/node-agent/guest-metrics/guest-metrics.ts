import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { CollectedSample } from '#runtime/metrics/collected-samples.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { ProcessIdentity } from '#qemu/index.ts'
import type { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import { activeMigration } from '#features/vmi/index.ts'
import { toLauncher } from '../network/attach-cards.ts'
import type { CardCounters } from '../network/card-counters.ts'
import { tapName } from '../network/tap.ts'
import { createAgentUseReader } from './agent-use.ts'
import type { LoadReader } from './guest-load.ts'
import { guestMetrics, samplesOf } from './samples.ts'

/** Dependencies and settings of {@link defineGuestMetrics}. */
export interface GuestMetricsOptions extends Pick<Ports, 'vmis' | 'guests' | 'nodeName' | 'network'> {
  readonly loads: LoadReader
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Milliseconds in which all guests have to answer. One that is late is left out of the scrape,
 * which Prometheus gives up after 10 s.
 */
const scrapeTimeoutMs = 3_000

/**
 * Defines the metrics of the load of this node's guests. They cost nothing until they are read:
 * QEMU, the node and the guest agent are asked at each scrape, and no guest that still has to
 * answer an earlier one.
 */
export function defineGuestMetrics(metrics: Pick<Metrics, 'collect'>, options: GuestMetricsOptions): void {
  const { vmis, guests, nodeName, network, loads, clock, log } = options
  const uses = createAgentUseReader(clock)
  const pending = new WeakSet<Guest>()

  async function read({ vmi, guest, process }: RunningGuest, counters: Counters): Promise<CollectedSample[]> {
    if (pending.has(guest)) return []
    pending.add(guest)
    try {
      const load = await loads.read(guest, process.pid, { withDirtyRate: activeMigration(vmi) === undefined })
      if (load === undefined) return []
      const use = isTrue(vmi.status?.conditions, 'AgentConnected') ? uses.latest(guest) : undefined
      return samplesOf(vmi, { load, cards: cardsOf(vmi, guest, await counters), use })
    } catch (error) {
      log.debug({ err: error, vmi: `${vmi.metadata.namespace}/${vmi.metadata.name}` }, 'The load of a guest cannot be read')
      return []
    } finally {
      pending.delete(guest)
    }
  }

  async function readCounters(all: readonly RunningGuest[]): Counters {
    const wired = all.filter(({ vmi }) => hasCards(vmi))
    if (network === undefined || wired.length === 0) return new Map()
    try {
      return await network.readCounters(wired.map(({ guest, process }) => toLauncher(guest, process)))
    } catch (error) {
      log.debug({ err: error }, 'The traffic of guests cannot be read')
      return new Map()
    }
  }

  metrics.collect(guestMetrics, async () => {
    const running = await runningGuests({ vmis, guests, nodeName })
    const counters = readCounters(running)
    const { promise: late, resolve } = Promise.withResolvers<CollectedSample[]>()
    using _limit = clock.after(scrapeTimeoutMs, () => resolve([]))
    const samples = await Promise.all(running.map((one) => Promise.race([read(one, counters), late])))
    return samples.flat()
  })
}

/**
 * Defines the count of panics. `bugcheck_code` is Windows' stop code, which panic devices of other
 * guests do not pass on.
 */
export function definePanicMetric(metrics: Pick<Metrics, 'counter'>): (vmi: VirtualMachineInstance) => void {
  const panics = metrics.counter({
    name: 'kubevirt_vmi_guest_os_panic_total',
    help: 'Panics of the system in a guest that its panic device has reported',
    labels: ['namespace', 'name', 'type', 'bugcheck_code'],
  })
  return ({ metadata: { namespace = '', name = '' } }) => panics({ namespace, name, type: 'unknown', bugcheck_code: 'unknown' }).add()
}

type Counters = Promise<ReadonlyMap<string, CardCounters>>

interface RunningGuest {
  readonly vmi: VirtualMachineInstance
  readonly guest: Guest
  readonly process: ProcessIdentity
}

/** A guest that moves runs on two nodes: the one that its VMI names says how it is. */
async function runningGuests({
  vmis,
  guests,
  nodeName,
}: Pick<GuestMetricsOptions, 'vmis' | 'guests' | 'nodeName'>): Promise<RunningGuest[]> {
  const found = await Promise.all(
    vmis
      .list()
      .filter(({ status }) => status?.nodeName === nodeName)
      .map(async (vmi) => {
        const { namespace = '', name = '' } = vmi.metadata
        const launchers = await Promise.all(
          guests.forVmi({ namespace, name }).map(async (guest) => ({ guest, launcher: await guest.inspect() })),
        )
        return launchers
          .flatMap(({ guest, launcher }) => (launcher.kind === 'running' ? [{ vmi, guest, process: launcher.identity }] : []))
          .slice(0, 1)
      }),
  )
  return found.flat()
}

/** Reports whether a guest has cards. Pure. */
export function hasCards({ spec }: Pick<VirtualMachineInstance, 'spec'>): boolean {
  return (spec.domain.devices.interfaces ?? []).length > 0
}

/** Returns the counters of a guest's cards, by the name of the interface. Pure. */
export function cardsOf(
  { spec }: Pick<VirtualMachineInstance, 'spec'>,
  { podUid }: Pick<Guest, 'podUid'>,
  counters: ReadonlyMap<string, CardCounters>,
): Map<string, CardCounters> {
  return new Map(
    (spec.domain.devices.interfaces ?? []).flatMap(({ name }) => {
      const card = counters.get(tapName(podUid, name))
      return card === undefined ? [] : [[name, card] as const]
    }),
  )
}

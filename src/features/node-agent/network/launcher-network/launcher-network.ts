import { chown, readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { hostnameOf } from '#features/vmi/index.ts'
import { migrationPorts, requestsDevice, tunResource } from '#features/launcher/index.ts'
import { definitionKey, isSecondary, podInterfaceName } from '#features/network-attachment/index.ts'
import { isRunning, type Interface, type ProcessIdentity } from '#qemu/index.ts'
import { directDialer } from '#runtime/network/network-dialer.ts'
import { readIfThere, replaceFile } from '#runtime/process/replace-file.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import { UnsupportedGuest } from '../../domain/unsupported-guest.ts'
import { LauncherNotReady } from '../../guest/guest.ts'
import type { GuestCards, GuestLauncher, GuestNetwork } from '../guest-network.ts'
import { parseCardCounters } from '../card-counters.ts'
import { dhcpOptionsOf } from '../dhcp-options.ts'
import { openPortsOf } from '../open-ports.ts'
import { InterfaceMissing } from '../interface-missing.ts'
import { asUnsupported, runForGuest } from '../run-for-guest.ts'
import { queueFlag, tapName } from '../tap.ts'
import { bindingOf, bridgeOf, secondaryBindingOf, unbindingOf, type Binding, type BindingKind, type BindingOptions } from './binding.ts'
import { DhcpServer, type DhcpLease } from './dhcp-server.ts'
import { findPodInterface, findPodLink, hasAddress, type PodInterface, type PodLink } from './pod-interface.ts'

/** Settings of {@link createLauncherNetwork}. */
export interface LauncherNetworkOptions {
  /** User that QEMU runs as. */
  readonly user: number
  readonly clock: Clock
  readonly log: Logger
}

/** What the record directory of a guest keeps of a card for the next agent. */
interface KeptCard {
  /** The pod's interface before it was changed: a bridge takes its address away. */
  readonly pod: PodLink | PodInterface
  /** Absent until all is set up, and for a card without an address. */
  readonly lease?: DhcpLease
}

/** Cards of a guest by name. Earlier releases kept the one on the pod network only. */
interface KeptNetwork extends Partial<KeptCard> {
  readonly secondary?: Readonly<Record<string, KeptCard>>
}

/**
 * Connects guests to the pod network of a cluster, and to networks of Multus, in the network
 * namespace of each launcher. A DHCP server runs there for each card, as a process of the node
 * agent.
 */
export function createLauncherNetwork({ user, clock, log }: LauncherNetworkOptions): GuestNetwork {
  const servers = new Map<string, DhcpServer>()
  const serve = ({ podUid }: GuestLauncher, process: ProcessIdentity, lease: DhcpLease): void => {
    const key = `${podUid}/${lease.interface}`
    servers.get(key)?.[Symbol.dispose]()
    // A process that has ended may have a successor of the same PID, in another network.
    const options = { clock, log: log.child({ pod: podUid }), isWanted: () => isRunning(process) }
    servers.set(key, new DhcpServer(namespaceOf(process.pid), lease, options))
  }

  /** Sets up one card, and serves it. `kept` is what an earlier attempt has found. */
  async function bind(
    { launcher, vmi }: GuestCards,
    process: ProcessIdentity,
    card: Interface,
    {
      plan,
      keepCard,
      pod,
    }: { readonly pod: KeptCard['pod']; readonly plan: Binding; readonly keepCard: (kept: KeptCard) => Promise<void> },
  ): Promise<void> {
    const { lease, ...script } = plan
    await keepCard({ pod })
    await runForGuest(namespaceOf(process.pid), script)
    if (lease === undefined) return
    const resolver = isOnPods(vmi, card.name)
      ? resolverOf(await readFile(join(rootOf(process.pid), 'etc/resolv.conf'), 'utf8'), vmi)
      : { nameServers: [], searchDomains: [] }
    const whole = { ...lease, hostname: hostnameOf(vmi), options: dhcpOptionsOf(vmi, card.name), ...resolver }
    await keepCard({ pod, lease: whole })
    serve(launcher, process, whole)
    log.debug({ pod: launcher.podUid, card: card.name, lease: whole }, 'A guest is connected to a network')
  }

  async function bindToPods(cards: GuestCards, process: ProcessIdentity, card: Interface): Promise<void> {
    const { launcher, vmi } = cards
    const kept = (await readKept(launcher))?.pod
    const pod = kept !== undefined && hasAddress(kept) ? kept : await observe(cards, process.pid)
    const open = openPortsOf(vmi, card.name)
    const plan = bindingOf({ kind: kindOf(vmi, card.name), pod, ...deviceOf(launcher, card, user), open, reserved })
    await bind(cards, process, card, { pod, plan, keepCard: async (own) => keep(launcher, { ...(await readKept(launcher)), ...own }) })
  }

  async function bindSecondary(cards: GuestCards, process: ProcessIdentity, card: Interface, networkName: string): Promise<void> {
    const { launcher, vmi } = cards
    const pod = (await readKept(launcher))?.secondary?.[card.name]?.pod ?? (await observeLink(vmi, card, networkName, process.pid))
    const plan = secondaryBindingOf({ pod, ...deviceOf(launcher, card, user) })
    const keepCard = async (own: KeptCard): Promise<void> => {
      const before = await readKept(launcher)
      await keep(launcher, { ...before, secondary: { ...before?.secondary, [card.name]: own } })
    }
    await bind(cards, process, card, { pod, plan, keepCard })
  }

  return {
    dialer: directDialer,
    addressOf(pod) {
      const address = pod?.status?.podIP ?? ''
      // Pods of older releases have no tun device.
      return pod !== undefined && requestsDevice(pod, tunResource) && isIPv4(address) ? address : undefined
    },
    async addressesOf(launcher, names) {
      const { secondary = {} } = (await readKept(launcher)) ?? {}
      return new Map(names.flatMap((name) => (secondary[name]?.lease === undefined ? [] : [[name, secondary[name].lease.address]])))
    },
    async readCounters(launchers) {
      const read = launchers.map(async ({ process }) =>
        process === undefined ? undefined : readIfThere(`/proc/${process.pid}/net/dev`).catch(() => undefined),
      )
      return new Map((await Promise.all(read)).flatMap((text = '') => [...parseCardCounters(text)]))
    },
    async attach(cards) {
      const { launcher, vmi, interfaces } = cards
      const { process } = launcher
      if (process === undefined) throw new LauncherNotReady(`the launcher of pod ${launcher.podUid} does not run`)
      const own = interfaces.filter(({ backend }) => backend.kind === 'tap')
      if (own.length > 0) await chown(join(rootOf(process.pid), 'dev/net/tun'), user, user)
      for (const card of own) {
        const network = vmi.spec.networks?.find(({ name }) => name === card.name)
        if (network !== undefined && isSecondary(network)) await bindSecondary(cards, process, card, network.multus.networkName)
        else await bindToPods(cards, process, card)
      }
    },
    async detachCard(launcher, name) {
      const kept = await readKept(launcher)
      const { [name]: card, ...others } = kept?.secondary ?? {}
      if (card === undefined || launcher.process === undefined) return
      const key = `${launcher.podUid}/${bridgeOf(card.pod)}`
      servers.get(key)?.[Symbol.dispose]()
      servers.delete(key)
      await runForGuest(namespaceOf(launcher.process.pid), unbindingOf(card.pod, tapName(launcher.podUid, name)))
      await keep(launcher, { ...kept, secondary: others })
    },
    // Everything else ends with the network namespace.
    async detach(podUid) {
      for (const [key, server] of servers) {
        if (!key.startsWith(`${podUid}/`)) continue
        server[Symbol.dispose]()
        servers.delete(key)
      }
    },
    async resume(launchers) {
      for (const launcher of launchers) {
        const { lease, secondary = {} } = (await readKept(launcher)) ?? {}
        if (launcher.process === undefined) continue
        for (const one of [lease, ...Object.values(secondary).map((card) => card.lease)])
          if (one !== undefined) serve(launcher, launcher.process, one)
      }
    },
    [Symbol.dispose]() {
      for (const server of servers.values()) server[Symbol.dispose]()
      servers.clear()
    },
  }
}

/** Returns what the set-up of a card needs to know of its tap device. */
function deviceOf({ podUid }: GuestLauncher, card: Interface, user: number): Pick<BindingOptions, 'tap' | 'queueFlag' | 'mac' | 'user'> {
  return { tap: tapName(podUid, card.name), queueFlag: queueFlag(card), mac: card.mac.toLowerCase(), user }
}

function isOnPods({ spec }: VirtualMachineInstance, card: string): boolean {
  const network = spec.networks?.find(({ name }) => name === card)
  return network === undefined || !isSecondary(network)
}

async function observeLink(vmi: VirtualMachineInstance, { name }: Interface, networkName: string, pid: number): Promise<KeptCard['pod']> {
  const link = podInterfaceName(name)
  const found = await asUnsupported(findPodLink(namespaceOf(pid), link))
  if (found !== undefined) return found
  const key = definitionKey(vmi.metadata.namespace ?? '', networkName)
  throw new InterfaceMissing(
    `the launcher's pod has no interface "${link}" for network "${name}": Multus has not attached it to NetworkAttachmentDefinition "${key.namespace}/${key.name}"`,
  )
}

/** Ports at which QEMU itself listens in the pod, as in KubeVirt. */
const reserved = Object.values(migrationPorts)

async function observe({ address }: GuestCards, pid: number): Promise<PodInterface> {
  const found = await asUnsupported(findPodInterface(namespaceOf(pid), address))
  if (found !== undefined) return found
  throw new UnsupportedGuest(`no interface of the launcher's pod has its address ${address}`)
}

function kindOf({ spec }: VirtualMachineInstance, card: string): BindingKind {
  const found = spec.domain.devices.interfaces?.find(({ name }) => name === card)
  return found?.bridge === undefined ? 'masquerade' : 'bridge'
}

/**
 * Returns name servers and search list of the pod, for the guest. A guest with a subdomain finds
 * its neighbours of that domain by their short names, as in KubeVirt. Pure.
 */
export function resolverOf(
  resolvConf: string,
  { spec, metadata }: Pick<VirtualMachineInstance, 'spec' | 'metadata'>,
): Pick<DhcpLease, 'nameServers' | 'searchDomains'> {
  const lines = resolvConf.split('\n').map((line) => line.trim().split(/\s+/))
  const nameServers = lines.flatMap(([key, server = '']) => (key === 'nameserver' && isIPv4(server) ? [server] : []))
  const searchDomains = lines.findLast(([key]) => key === 'search')?.slice(1) ?? []
  const own = searchDomains.find((domain) => domain.startsWith(`${metadata.namespace}.svc.`))
  const first = spec.subdomain === undefined || own === undefined ? [] : [`${spec.subdomain}.${own}`]
  return { nameServers, searchDomains: [...first, ...searchDomains] }
}

function rootOf(pid: number): string {
  return `/proc/${pid}/root`
}

function namespaceOf(pid: number): string {
  return `/proc/${pid}/ns/net`
}

const fileOf = ({ recordDirectory }: GuestLauncher): string => join(recordDirectory, 'network.json')

async function readKept(launcher: GuestLauncher): Promise<KeptNetwork | undefined> {
  const text = await readIfThere(fileOf(launcher))
  return text === undefined ? undefined : (JSON.parse(text) as KeptNetwork)
}

function keep(launcher: GuestLauncher, kept: KeptNetwork): Promise<void> {
  return replaceFile(fileOf(launcher), JSON.stringify(kept), { mode: 0o600, through: launcher.recordDirectory })
}

import { chown, readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { hostnameOf } from '#features/vmi/index.ts'
import { migrationPorts, requestsDevice, tunResource } from '#features/launcher/index.ts'
import { isRunning, type ProcessIdentity } from '#qemu/index.ts'
import { readIfThere, replaceFile } from '#runtime/process/replace-file.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import { UnsupportedGuest } from '../../domain/unsupported-guest.ts'
import { LauncherNotReady } from '../../guest/guest.ts'
import type { GuestCards, GuestLauncher, GuestNetwork } from '../guest-network.ts'
import { dhcpOptionsOf } from '../dhcp-options.ts'
import { openPortsOf } from '../open-ports.ts'
import { asUnsupported, runForGuest } from '../run-for-guest.ts'
import { queueFlag, tapName } from '../tap.ts'
import { bindingOf, type BindingKind } from './binding.ts'
import { DhcpServer, type DhcpLease } from './dhcp-server.ts'
import { findPodInterface, type PodInterface } from './pod-interface.ts'

/** Settings of {@link createLauncherNetwork}. */
export interface LauncherNetworkOptions {
  /** User that QEMU runs as. */
  readonly user: number
  readonly clock: Clock
  readonly log: Logger
}

/** What the record directory of a guest keeps for the next agent. */
interface KeptNetwork {
  /** The pod's interface before it was changed: a bridge takes its address away. */
  readonly pod: PodInterface
  /** Absent until all is set up. */
  readonly lease?: DhcpLease
}

/**
 * Connects guests to the pod network of a cluster, in the network namespace of each launcher. A
 * DHCP server runs there for each guest, as a process of the node agent.
 */
export function createLauncherNetwork({ user, clock, log }: LauncherNetworkOptions): GuestNetwork {
  const servers = new Map<string, DhcpServer>()
  const serve = ({ podUid }: GuestLauncher, process: ProcessIdentity, lease: DhcpLease): void => {
    servers.get(podUid)?.[Symbol.dispose]()
    // A process that has ended may have a successor of the same PID, in another network.
    const options = { clock, log: log.child({ pod: podUid }), isWanted: () => isRunning(process) }
    servers.set(podUid, new DhcpServer(namespaceOf(process.pid), lease, options))
  }

  return {
    addressOf(pod) {
      const address = pod?.status?.podIP ?? ''
      // Pods of older releases have no tun device.
      return pod !== undefined && requestsDevice(pod, tunResource) && isIPv4(address) ? address : undefined
    },
    async attach(cards) {
      const { launcher, vmi, address } = cards
      const { process } = launcher
      if (process === undefined) throw new LauncherNotReady(`the launcher of pod ${launcher.podUid} does not run`)
      const { pid } = process
      const [card] = cards.interfaces.filter(({ backend }) => backend.kind === 'tap')
      if (card === undefined) return
      const pod = (await readKept(launcher))?.pod ?? (await observe(cards, pid))
      await keep(launcher, { pod })
      const tap = tapName(launcher.podUid, card.name)
      const mac = card.mac.toLowerCase()
      const open = openPortsOf(vmi, card.name)
      const { lease, ...script } = bindingOf({
        kind: kindOf(vmi, card.name),
        pod,
        tap,
        queueFlag: queueFlag(card),
        mac,
        user,
        open,
        reserved,
      })
      await chown(join(rootOf(pid), 'dev/net/tun'), user, user)
      await runForGuest(namespaceOf(pid), script)
      const hostname = hostnameOf(vmi)
      const options = dhcpOptionsOf(vmi, card.name)
      const whole = { ...lease, hostname, options, ...resolverOf(await readFile(join(rootOf(pid), 'etc/resolv.conf'), 'utf8'), vmi) }
      await keep(launcher, { pod, lease: whole })
      serve(launcher, process, whole)
      log.debug({ pod: launcher.podUid, address, lease: whole }, 'A guest is connected to the pod network')
    },
    // Everything else ends with the network namespace.
    async detach(podUid) {
      servers.get(podUid)?.[Symbol.dispose]()
      servers.delete(podUid)
    },
    async resume(launchers) {
      for (const launcher of launchers) {
        const lease = (await readKept(launcher))?.lease
        if (launcher.process !== undefined && lease !== undefined) serve(launcher, launcher.process, lease)
      }
    },
    [Symbol.dispose]() {
      for (const server of servers.values()) server[Symbol.dispose]()
      servers.clear()
    },
  }
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

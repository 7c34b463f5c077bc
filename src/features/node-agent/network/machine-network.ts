import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { replaceWatchedFile } from '#runtime/process/network-namespace.ts'
import { readIfThere } from '#runtime/process/replace-file.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { GuestNetwork } from './guest-network.ts'
import { dhcpOptionsOf } from './dhcp-options.ts'
import { openPortsOf } from './open-ports.ts'
import { runForGuest } from './run-for-guest.ts'
import { attachScript, detachScript, permit, queueFlag, revoke, tapName, type Sender } from './tap.ts'

/** Settings of {@link createMachineNetwork}. */
export interface MachineNetworkOptions {
  /** Folder of the network, which the static pod of machine mode makes. */
  readonly directory: string
  readonly nodeName: string
}

/** File of an attached card, named by its tap device. */
interface AttachedCard extends Sender {
  readonly podUid: string
  readonly node: string
  /** `namespace/name` */
  readonly vmi: string
}

/** Bridge of the pod network. */
const bridge = 'pods0'

/** Connects guests to the network that all launchers of a machine share. */
export function createMachineNetwork({ directory, nodeName }: MachineNetworkOptions): GuestNetwork {
  const cardFolder = join(directory, 'cards')
  const dhcpFolder = join(directory, 'dhcp')
  const hostFolder = join(directory, 'hosts')
  const optionFolder = join(directory, 'options')
  const namespacePath = join(directory, 'namespace')

  async function cards(): Promise<AttachedCard[]> {
    const names = (await readdir(cardFolder).catch(() => [])).filter((name) => name.startsWith('tap'))
    const found = await Promise.all(names.map((name) => readIfThere(join(cardFolder, name))))
    return found.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as AttachedCard]))
  }

  async function detachCard(card: AttachedCard): Promise<void> {
    await runForGuest(namespacePath, { script: detachScript, args: [card.tap], rules: revoke(card) })
    await rm(join(cardFolder, card.tap), { force: true })
  }

  /** @throws UnsupportedGuest when the guest of another VMI has the card's MAC address */
  async function record(card: AttachedCard, interfaceName: string): Promise<void> {
    await mkdir(cardFolder, { recursive: true, mode: 0o700 })
    const file = join(cardFolder, card.tap)
    await replaceWatchedFile(file, JSON.stringify(card))
    // Of two that start at once, each sees the other.
    const owner = (await cards()).find(({ mac, vmi }) => mac === card.mac && vmi !== card.vmi)
    if (owner === undefined) return
    await rm(file, { force: true })
    throw new UnsupportedGuest(
      `MAC address ${card.mac} of interface "${interfaceName}" belongs to VMI ${owner.vmi}: every guest needs its own`,
    )
  }

  async function announce({ mac, address }: AttachedCard, vmi: VirtualMachineInstance, options: readonly string[]): Promise<void> {
    const { name = '', namespace = '' } = vmi.metadata
    const file = join(dhcpFolder, address)
    const before = await readIfThere(file)
    const tag = `card-${address}`
    const optionLines = options.map((option) => `tag:${tag},${option}\n`).join('')
    const ownOptions = join(optionFolder, tag)
    const optionsBefore = (await readIfThere(ownOptions)) ?? ''
    const entry = `${mac},set:${namespace},set:${tag},${address},${vmi.spec.hostname ?? name},infinite\n`
    if (before === entry && optionsBefore === optionLines) return
    if (optionsBefore !== optionLines) await replaceWatchedFile(ownOptions, optionLines)
    await replaceWatchedFile(join(hostFolder, address), `${address} ${name}.${namespace}.vm\n`)
    await replaceWatchedFile(join(optionFolder, namespace), `tag:${namespace},option:domain-search,${searchList(namespace)}\n`)
    await replaceWatchedFile(file, entry)
    // dnsmasq reads new files by itself. For a changed one, its lease to the former MAC address
    // must end, too.
    if (before !== undefined) await restartServer(join(directory, 'dns.pid'))
  }

  return {
    addressOf(pod) {
      const address = pod?.status?.podIP ?? ''
      return isIPv4(address) && !address.startsWith('127.') ? address : undefined
    },
    async attach({ launcher: { podUid }, vmi, address, interfaces }) {
      const { name = '', namespace = '' } = vmi.metadata
      for (const card of interfaces.filter(({ backend }) => backend.kind === 'tap')) {
        const tap = tapName(podUid, card.name)
        const ports = openPortsOf(vmi, card.name)
        const sender = { tap, mac: card.mac.toLowerCase(), address, ...(ports === undefined ? {} : { ports }) }
        const attached = { podUid, node: nodeName, vmi: `${namespace}/${name}`, ...sender }
        await record(attached, card.name)
        await announce(attached, vmi, dhcpOptionsOf(vmi, card.name))
        const args = [tap, String(process.geteuid?.() ?? 0), bridge, queueFlag(card)]
        await runForGuest(namespacePath, { script: attachScript, args, rules: permit(attached) })
      }
    },
    async detach(podUid) {
      for (const card of await cards()) if (card.podUid === podUid) await detachCard(card)
    },
    async resume(launchers) {
      const known = new Set(launchers.map(({ podUid }) => podUid))
      for (const card of await cards()) if (card.node === nodeName && !known.has(card.podUid)) await detachCard(card)
    },
    // What it made outlives the agent, as guests do.
    [Symbol.dispose]() {},
  }
}

function searchList(namespace: string): string {
  return `${namespace}.svc.cluster.local,svc.cluster.local,cluster.local`
}

/** Ends dnsmasq, which its container starts again at once, with all files and without leases. */
async function restartServer(pidFile: string): Promise<void> {
  const pid = Number(await readIfThere(pidFile))
  try {
    if (pid > 1 && (await readFile(`/proc/${pid}/cmdline`, 'latin1')).startsWith('dnsmasq\0')) process.kill(pid, 'SIGTERM')
  } catch {
    // It is about to start, and reads all files then.
  }
}

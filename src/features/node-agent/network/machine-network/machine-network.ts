import { readFile, stat } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import type { NetworkAttachmentDefinition } from '#api/k8s-cni-cncf/v1/network-attachment-definition.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { bridgeNetworkOf, definitionKey, isSecondary, UnsupportedNetwork, type BridgeNetwork } from '#features/network-attachment/index.ts'
import { hostnameOf } from '#features/vmi/index.ts'
import type { Interface } from '#qemu/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { createPodNetworkDialer } from '#runtime/network/network-dialer.ts'
import { runInNetworkNamespace } from '#runtime/network/network-namespace.ts'
import { UnsupportedGuest } from '../../domain/unsupported-guest.ts'
import { parseCardCounters } from '../card-counters.ts'
import { dhcpOptionsOf } from '../dhcp-options.ts'
import type { GuestCards, GuestLauncher, GuestNetwork } from '../guest-network.ts'
import { openPortsOf } from '../open-ports.ts'
import { runForGuest } from '../run-for-guest.ts'
import { queueFlag, tapName } from '../tap.ts'
import { CardFiles, type AttachedCard } from './card-files.ts'
import { attachScript, detachScript, permit, revoke } from './card-rules.ts'
import { announce } from './pod-network-names.ts'
import { allocateAddress, bridgeArguments, bridgeRules, lease, plugScript, type NetworkFolders } from './segment.ts'

/** Settings of {@link createMachineNetwork}. */
export interface MachineNetworkOptions extends NetworkFolders {
  readonly nodeName: string
  readonly clock: Clock
  /** Reads a NetworkAttachmentDefinition; undefined: there is none. */
  readonly definition: (key: { readonly namespace: string; readonly name: string }) => Promise<NetworkAttachmentDefinition | undefined>
}

/**
 * Reads the counters of all devices of the namespace, which the guests of the machine share: beside
 * a launcher in it, since a program that enters it costs more than all guests of a scrape.
 */
async function readDevices(namespacePath: string, launchers: readonly GuestLauncher[]): Promise<string> {
  const pid = launchers.find(({ process }) => process !== undefined)?.process?.pid
  if (pid !== undefined) {
    try {
      const [own, wanted] = await Promise.all([stat(`/proc/${pid}/ns/net`), stat(namespacePath)])
      if (own.ino === wanted.ino && own.dev === wanted.dev) return await readFile(`/proc/${pid}/net/dev`, 'utf8')
    } catch {
      // It has ended, or may not be read by this user.
    }
  }
  return runInNetworkNamespace(namespacePath, ['cat', '/proc/self/net/dev'])
}

/** Bridge of the pod network. */
const podBridge = 'pods0'

/**
 * Connects guests to the network that all launchers of a machine share, and to networks of
 * NetworkAttachmentDefinitions, which are bridges beside it.
 */
export function createMachineNetwork(options: MachineNetworkOptions): GuestNetwork {
  const { directory, nodeName } = options
  const cards = new CardFiles(join(directory, 'cards'))
  const namespacePath = join(directory, 'namespace')
  // Without root, this user is root in the namespace.
  const ownUser = 0

  async function attachToPods({ launcher: { podUid }, vmi, address, user = ownUser }: GuestCards, card: Interface): Promise<void> {
    const ports = openPortsOf(vmi, card.name)
    const attached = { ...attachedBy(podUid, vmi, card), address, ...(ports === undefined ? {} : { ports }) }
    await cards.add(attached, card.name)
    await announce(directory, attached, vmi, dhcpOptionsOf(vmi, card.name))
    await runForGuest(namespacePath, {
      script: attachScript,
      args: [attached.tap, String(user), podBridge, queueFlag(card)],
      rules: permit(attached),
    })
  }

  async function plug({ launcher: { podUid }, vmi, user = ownUser }: GuestCards, card: Interface, networkName: string): Promise<void> {
    const network = await bridgeOf(vmi, networkName)
    const { pool, checksMac, isolatesPorts } = network
    const own = attachedBy(podUid, vmi, card)
    const address = allocateAddress(options, network, `${own.vmi}/${card.name}`)
    const attached = {
      ...own,
      ...(address === undefined ? {} : { address }),
      plugged: { checksMac, hasPool: pool !== undefined },
    }
    await cards.add(attached, card.name)
    await runForGuest(namespacePath, {
      script: plugScript,
      args: [...bridgeArguments(network), attached.tap, String(user), queueFlag(card), isolatesPorts ? 'on' : 'off'],
      rules: bridgeRules(network) + permit(attached),
    })
    if (pool === undefined || address === undefined) return
    await lease(options, network, pool, { mac: own.mac, address, hostname: hostnameOf(vmi), options: dhcpOptionsOf(vmi, card.name) })
  }

  async function bridgeOf(vmi: VirtualMachineInstance, networkName: string): Promise<BridgeNetwork> {
    const key = definitionKey(vmi.metadata.namespace ?? '', networkName)
    const name = `NetworkAttachmentDefinition "${key.namespace}/${key.name}"`
    const definition = await options.definition(key)
    if (definition === undefined) throw new UnsupportedGuest(`${name} does not exist: create it`)
    try {
      return bridgeNetworkOf(definition)
    } catch (error) {
      if (error instanceof UnsupportedNetwork) throw new UnsupportedGuest(`${name}: ${error.message}`, { cause: error })
      throw error
    }
  }

  function attachedBy(podUid: string, { metadata: { namespace, name } }: VirtualMachineInstance, card: Interface): AttachedCard {
    return { podUid, node: nodeName, vmi: `${namespace}/${name}`, tap: tapName(podUid, card.name), mac: card.mac.toLowerCase() }
  }

  async function detachCard(card: AttachedCard): Promise<void> {
    await runForGuest(namespacePath, { script: detachScript, args: [card.tap], rules: revoke(card) })
    await cards.remove(card.tap)
  }

  return {
    dialer: createPodNetworkDialer(namespacePath, options.clock),
    addressOf(pod) {
      const address = pod?.status?.podIP ?? ''
      return isIPv4(address) && !address.startsWith('127.') ? address : undefined
    },
    async addressesOf({ podUid }, names) {
      const found = await Promise.all(names.map(async (name) => [name, (await cards.get(tapName(podUid, name)))?.address] as const))
      return new Map(found.flatMap(([name, address]) => (address === undefined ? [] : [[name, address]])))
    },
    readCounters: async (launchers) => parseCardCounters(await readDevices(namespacePath, launchers)),
    async attach(guest) {
      for (const card of guest.interfaces.filter(({ backend }) => backend.kind === 'tap')) {
        const network = guest.vmi.spec.networks?.find(({ name }) => name === card.name)
        if (network?.multus?.default === true)
          throw new UnsupportedGuest(`network "${card.name}" cannot be the default one: on a machine that is the pod network`)
        await (network !== undefined && isSecondary(network) ? plug(guest, card, network.multus.networkName) : attachToPods(guest, card))
      }
    },
    async detachCard({ podUid }, name) {
      const card = await cards.get(tapName(podUid, name))
      if (card !== undefined) await detachCard(card)
    },
    async detach(podUid) {
      for (const card of await cards.list()) if (card.podUid === podUid) await detachCard(card)
    },
    async resume(launchers) {
      const known = new Set(launchers.map(({ podUid }) => podUid))
      for (const card of await cards.list()) if (card.node === nodeName && !known.has(card.podUid)) await detachCard(card)
    },
    // What it made outlives the agent, as guests do.
    [Symbol.dispose]() {},
  }
}

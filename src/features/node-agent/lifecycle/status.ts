import { findCondition, removeCondition, setCondition } from '#apimachinery/conditions.ts'
import { formatQuantity, quantityFromBytes } from '#apimachinery/quantity.ts'
import type {
  VirtualMachineInstance,
  VirtualMachineInstanceCondition,
  VirtualMachineInstanceNetworkInterface,
  VirtualMachineInstanceStatus,
} from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Network } from '#api/kubevirt/v1/network.ts'
import { isSecondary } from '#features/network-attachment/index.ts'
import { hardwareNames } from '#features/hardware-record/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import {
  enterPhase,
  hotplugCapacityCondition,
  pendingMemoryCondition,
  pendingSocketsCondition,
  waitsForGuest,
  pluggableCondition,
} from '#features/vmi/index.ts'
import type { RunState } from '#qemu/index.ts'
import type { CredentialState } from '../guest-agent/credentials.ts'
import type { GuestFacts } from '../guest-agent/answers.ts'
import { missingHeadroom } from '../domain/headroom.ts'
import type { GuestCard, GuestCardState } from '../hotplug/cards.ts'
import type { GuestSize } from '../hotplug/resize.ts'
import { volumesCondition, volumesReady, volumeStatuses } from '../volume-hotplug/volume-status.ts'
import type { GuestVolumeState } from '../volume-hotplug/volumes.ts'
import { migratability } from '../migration/migratability.ts'

type Conditions = readonly VirtualMachineInstanceCondition[] | undefined

/** Observed state of a running guest. */
interface Seen {
  readonly runState: RunState
  readonly size: GuestSize
  /** Whether the guest agent runs; undefined: unknown, so that the condition stays. */
  readonly hasAgent: boolean | undefined
  /** True while file systems are frozen by request. */
  readonly isFrozen: boolean
  /** What the guest agent says; undefined: unknown. */
  readonly facts?: GuestFacts | undefined
  /** Undefined: nothing to do, or nothing done yet. */
  readonly credentials?: CredentialState | undefined
  /** Reason why the node uses KVM or TCG. */
  readonly acceleratorReason: string
  readonly cards: GuestCardState
  readonly volumes: GuestVolumeState
  /** Sizes of disks of claims in bytes, by name. */
  readonly diskSizes: ReadonlyMap<string, number>
  /** Addresses that networks give to cards, by the name of the card. */
  readonly addresses: ReadonlyMap<string, string>
  /** RFC 3339. */
  readonly now: string
}

/** Returns the fields that the node agent owns in the status of a running VMI. */
export function runningStatus(
  vmi: VirtualMachineInstance,
  record: LaunchRecord,
  { runState, size, cards, volumes, diskSizes, hasAgent, isFrozen, facts, credentials, acceleratorReason, addresses, now }: Seen,
): Partial<VirtualMachineInstanceStatus> {
  const { domain } = record
  const { condition: migratable, storageCondition, method } = migratability(vmi)
  const { sockets, memory } = size
  const starts = vmi.status?.phase !== 'Running'
  const interfaces = interfacesOf(cards.cards, vmi.spec.networks, { addresses, facts })
  let conditions = vmi.status?.conditions as Conditions
  // The VMI controller owns Ready once the guest runs: it follows the pod's readiness.
  if (starts && vmi.spec.readinessProbe === undefined)
    conditions = setCondition(conditions, { type: 'Ready', status: 'True', lastProbeTime: null }, now)
  conditions = setCondition(removeCondition(conditions, 'Synchronized'), migratable, now)
  conditions = setCondition(conditions, storageCondition, now)
  if (domain.machine.accelerator === 'tcg') {
    conditions = setCondition(conditions, { ...emulated, message: acceleratorReason }, now)
  }
  if (record.leftOut !== undefined && record.leftOut.length > 0) {
    const message = `The guest runs without what this node cannot give it: ${record.leftOut.join(', ')}`
    conditions = setCondition(conditions, { ...incomplete, message }, now)
  }
  conditions = withHardware(conditions, record.hardwareChanged, now)
  for (const { type, condition } of sizeConditions(vmi, record, size)) {
    conditions = condition === undefined ? removeCondition(conditions, type) : setCondition(conditions, condition, now)
  }
  conditions = withCards(conditions, cards, now)
  const lack = volumesCondition(volumes)
  conditions = lack === undefined ? removeCondition(conditions, volumesReady) : setCondition(conditions, lack, now)
  const volumeStatus = volumeStatuses(vmi, volumes, diskSizes)
  if (hasAgent === true) conditions = setCondition(conditions, { type: 'AgentConnected', status: 'True', lastProbeTime: now }, now)
  if (hasAgent === false) conditions = removeCondition(conditions, 'AgentConnected')
  if (credentials !== undefined) conditions = setCondition(conditions, credentialCondition(credentials), now)
  return {
    ...enterPhase(vmi.status, 'Running', now),
    conditions: withPause(conditions, runState, now),
    ...(method === undefined ? {} : { migrationMethod: method }),
    // Empty, as in KubeVirt, after a thaw.
    ...(isFrozen ? { fsFreezeStatus: 'frozen' } : vmi.status?.fsFreezeStatus === undefined ? {} : { fsFreezeStatus: '' }),
    machine: { type: domain.machine.type },
    currentCPUTopology: { cores: domain.cpu.cores, sockets, threads: domain.cpu.threads },
    memory: {
      guestAtBoot: inBytes(memory.atBootBytes),
      guestCurrent: inBytes(memory.bytes),
      guestRequested: inBytes(memory.requestedBytes),
    },
    ...(interfaces.length === 0 ? {} : { interfaces }),
    ...(volumeStatus === undefined ? {} : { volumeStatus }),
    ...(facts === undefined ? {} : { guestOSInfo: facts.os }),
  }
}

function credentialCondition(state: CredentialState): VirtualMachineInstanceCondition {
  const type = 'AccessCredentialsSynchronized'
  return state.kind === 'synchronized'
    ? { type, status: 'True', lastProbeTime: null }
    : { type, status: 'False', reason: 'PropagationFailed', message: state.message, lastProbeTime: null }
}

/**
 * Interfaces of the domain, with what the guest says of them, and those that only the guest knows.
 * The address that a network gives comes first: clients use that of the first interface.
 */
function interfacesOf(
  cards: readonly GuestCard[],
  networks: readonly Network[] = [],
  { addresses: given, facts }: Pick<Seen, 'addresses' | 'facts'>,
): VirtualMachineInstanceNetworkInterface[] {
  const macs = new Set(cards.map(({ mac }) => mac.toLowerCase()))
  const own = (facts?.interfaces ?? []).filter(({ mac }) => !macs.has(mac))
  return [
    ...cards.map(({ name, mac, queues = 1, isConnected, link }) => {
      const inGuest = facts?.interfaces.find((found) => found.mac === mac.toLowerCase())
      const isPlugged = isConnected && networks.some((network) => network.name === name && isSecondary(network))
      const address = isConnected ? given.get(name) : undefined
      const addresses = [...(address === undefined ? [] : [address]), ...(inGuest?.addresses ?? [])]
      return {
        name,
        mac,
        ...addressFields([...new Set(addresses)]),
        ...(inGuest === undefined ? {} : { interfaceName: inGuest.name }),
        infoSource: ['domain', ...(inGuest === undefined ? [] : ['guest-agent']), ...(isPlugged ? ['multus-status'] : [])].join(', '),
        linkState: link,
        queueCount: queues,
      }
    }),
    ...own.map(({ name, mac, addresses }) => ({ mac, ...addressFields(addresses), interfaceName: name, infoSource: 'guest-agent' })),
  ]
}

function addressFields(addresses: readonly string[]): Pick<VirtualMachineInstanceNetworkInterface, 'ipAddress' | 'ipAddresses'> {
  const [first] = addresses
  return first === undefined ? {} : { ipAddress: first, ipAddresses: [...addresses] }
}

/**
 * Reports whether this status is the first in which the guest runs all sockets that it was given.
 */
export function hasNewSockets(before: VirtualMachineInstance['status'], status: Partial<VirtualMachineInstanceStatus>): boolean {
  if (findCondition(status.conditions, 'HotVCPUChange') !== undefined) return false
  const { sockets = 0 } = status.currentCPUTopology ?? {}
  const former = before?.currentCPUTopology?.sockets ?? sockets
  return former < sockets || waitsForGuest(before?.conditions)
}

function inBytes(bytes: number): string {
  return formatQuantity(quantityFromBytes(BigInt(bytes)))
}

/** Conditions about pending or impossible hotplug of sockets and memory. */
function sizeConditions(
  vmi: VirtualMachineInstance,
  record: LaunchRecord,
  { sockets, idleVcpus, memory, refused, wait }: GuestSize,
): { readonly type: string; readonly condition: VirtualMachineInstanceCondition | undefined }[] {
  return [
    { type: pluggableCondition, condition: hotplugCapacityCondition(missingHeadroom(vmi, record)) },
    {
      type: 'HotVCPUChange',
      condition: pendingSocketsCondition(vmi, { plugged: sockets, idleVcpus }, refused.sockets ?? 'QEMU has plugged in no more'),
    },
    { type: 'HotMemoryChange', condition: pendingMemoryCondition(memory, refused.memory, wait) },
  ]
}

const emulated: VirtualMachineInstanceCondition = {
  type: 'SoftwareEmulation',
  status: 'True',
  reason: 'HardwareVirtualizationUnavailable',
  lastProbeTime: null,
}

/**
 * steadyvm's own condition. KubeVirt refuses to start guests that ask for features their node
 * lacks.
 */
const incomplete: VirtualMachineInstanceCondition = {
  type: 'steadyvm.io/HardwareComplete',
  status: 'False',
  reason: 'NotOnThisNode',
  lastProbeTime: null,
}

function withHardware(conditions: Conditions, changed: LaunchRecord['hardwareChanged'], now: string): VirtualMachineInstanceCondition[] {
  if (changed?.message === undefined) return removeCondition(conditions, hardwareNames.changedCondition)
  const { reason, message } = changed
  return setCondition<VirtualMachineInstanceCondition>(conditions, { ...otherHardware, reason, message }, now)
}

/** Reports cards that are not as the VMI wants them. `MigrationRequired` is KubeVirt's. */
function withCards(conditions: Conditions, { refused, missing }: GuestCardState, now: string): VirtualMachineInstanceCondition[] {
  const message = [...refused].map(([name, reason]) => `interface "${name}": ${reason}`).join('; ')
  const unplugged = {
    type: interfacesReady,
    status: 'False',
    reason: 'NotAsRequested',
    message,
    lastProbeTime: null,
  } as const
  const shown =
    refused.size === 0
      ? removeCondition(conditions, unplugged.type)
      : setCondition<VirtualMachineInstanceCondition>(conditions, unplugged, now)
  if (missing.length === 0)
    return shown.some(({ reason }) => reason === migrationForCards) ? removeCondition(shown, 'MigrationRequired') : shown
  const required = { type: 'MigrationRequired', status: 'True', reason: migrationForCards, message, lastProbeTime: null } as const
  return setCondition<VirtualMachineInstanceCondition>(shown, required, now)
}

/** steadyvm's own condition, while cards are not as the VMI wants them. */
export const interfacesReady = 'steadyvm.io/InterfacesReady'
const migrationForCards = 'InterfaceNotInPod'

const otherHardware = { type: hardwareNames.changedCondition, status: 'True', lastProbeTime: null } as const

function withPause(conditions: Conditions, runState: RunState, now: string): VirtualMachineInstanceCondition[] {
  const problem = pauseOf(runState)
  if (problem === undefined) return removeCondition(conditions, 'Paused')
  return setCondition<VirtualMachineInstanceCondition>(conditions, { type: 'Paused', status: 'True', lastProbeTime: null, ...problem }, now)
}

function pauseOf(runState: RunState): { reason: string; message: string } | undefined {
  if (runState === 'io-error') return { reason: 'PausedIOError', message: 'VMI was paused, low-level IO error detected' }
  if (runState === 'paused' || runState === 'prelaunch') return { reason: 'PausedByUser', message: 'VMI was paused by user' }
  return undefined
}

/** Reports why a guest cannot be started. The same error again changes nothing. */
export function syncFailedStatus(vmi: VirtualMachineInstance, message: string, now: string): Partial<VirtualMachineInstanceStatus> {
  const trouble: VirtualMachineInstanceCondition = {
    type: 'Synchronized',
    status: 'False',
    reason: 'Synchronizing with the Domain failed.',
    message,
    lastProbeTime: null,
  }
  return { conditions: setCondition<VirtualMachineInstanceCondition>(vmi.status?.conditions, trouble, now) }
}

/** Reports a start that waits for the owner to allow a hardware change. */
export function hardwareRefusedStatus(
  vmi: VirtualMachineInstance,
  { reason, message }: { readonly reason: string; readonly message: string },
  now: string,
): Partial<VirtualMachineInstanceStatus> {
  const { conditions } = syncFailedStatus(vmi, message, now)
  return { conditions: setCondition<VirtualMachineInstanceCondition>(conditions, { ...otherHardware, reason, message }, now) }
}

/** Reports whether {@link syncFailedStatus} has already written the message. */
export function reportsSyncFailure(vmi: VirtualMachineInstance, message: string): boolean {
  return findCondition(vmi.status?.conditions, 'Synchronized')?.message === message
}

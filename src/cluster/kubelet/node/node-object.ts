import { isDeepStrictEqual } from 'node:util'
import type { Node, NodeCondition, NodeStatus } from '#api/core/v1/node.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { MachineFacts } from './machine-facts.ts'

/** Input of a Node object. */
export interface NodeDescription {
  readonly name: string
  readonly address: string
  readonly version: string
  readonly labels: Readonly<Record<string, string>>
  /**
   * Added to, or in place of, what the machine has: `{ memory: '4Gi', 'devices.kubevirt.io/kvm':
   * '1000' }`.
   */
  readonly capacity: Readonly<Record<string, string>>
  readonly machine: MachineFacts
}

/** Labels that the node must have. */
export function nodeLabels(description: NodeDescription): Readonly<Record<string, string>> {
  return {
    'kubernetes.io/hostname': description.name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': description.machine.architecture,
    ...description.labels,
  }
}

/** The object to register. */
export function newNode(description: NodeDescription, now: number): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: description.name, labels: { ...nodeLabels(description) } },
    spec: {},
    status: nodeStatus(description, undefined, now),
  }
}

/** The node's status as of now; transition times of unchanged conditions are kept. Pure. */
export function nodeStatus(
  description: NodeDescription,
  old: NodeStatus | undefined,
  now: number,
  diskPressure: boolean = false,
): NodeStatus {
  const { machine, version, address, name } = description
  const capacity = {
    cpu: String(machine.cpus),
    memory: `${Math.floor(machine.memoryBytes / 1024)}Ki`,
    pods: '110',
    ...description.capacity,
  }
  return {
    capacity,
    allocatable: capacity,
    conditions: conditions(old, now, diskPressure),
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      machineID: machine.machineId,
      systemUUID: machine.machineId,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: `steadyvm://${version}`,
      kubeletVersion: version,
      kubeProxyVersion: version,
      operatingSystem: 'linux',
      architecture: machine.architecture,
    },
  }
}

/**
 * Reports whether the stored status is out of date. Heartbeat times do not count: the lease is the
 * heartbeat.
 */
export function nodeDiffers(shown: NodeStatus | undefined, wanted: NodeStatus): boolean {
  const part = (status: NodeStatus | undefined): unknown => [
    status?.capacity,
    status?.allocatable,
    status?.addresses,
    status?.nodeInfo,
    ownConditions.map(({ type }) => status?.conditions?.find((condition) => condition.type === type)?.status),
  ]
  return !isDeepStrictEqual(part(shown), part(wanted))
}

const ownConditions = [
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
] as const

const underDiskPressure = {
  type: 'DiskPressure',
  status: 'True',
  reason: 'KubeletHasDiskPressure',
  message: 'kubelet has disk pressure',
} as const

function conditions(old: NodeStatus | undefined, now: number, diskPressure: boolean): NodeCondition[] {
  return ownConditions.map((usual) => {
    const condition = diskPressure && usual.type === 'DiskPressure' ? underDiskPressure : usual
    const before = old?.conditions?.find((one) => one.type === condition.type)
    const since = before?.status === condition.status ? before.lastTransitionTime : undefined
    return { ...condition, lastHeartbeatTime: timestamp(now), lastTransitionTime: since ?? timestamp(now) }
  })
}

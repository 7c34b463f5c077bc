import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'

/** Topology of virtual CPUs. */
export interface CpuTopology {
  readonly sockets: number
  readonly cores: number
  readonly threads: number
}

/** Topologies of a preference, by their current names. */
export type TopologyName = 'sockets' | 'cores' | 'threads' | 'spread' | 'any'
/** Levels that `spread` uses. */
export type SpreadAcross = 'SocketsCores' | 'SocketsCoresThreads' | 'CoresThreads'

/** Deprecated names, still accepted. */
export const deprecatedTopologyNames: ReadonlyMap<string, TopologyName> = new Map<string, TopologyName>([
  ['preferSockets', 'sockets'],
  ['preferCores', 'cores'],
  ['preferThreads', 'threads'],
  ['preferSpread', 'spread'],
  ['preferAny', 'any'],
])
const names: readonly string[] = ['sockets', 'cores', 'threads', 'spread', 'any']

/** Spread options with defaults. */
export interface SpreadOptions {
  readonly across: SpreadAcross
  readonly ratio: number
}

/** Returns the current name of a topology; undefined for an unknown one. */
export function topologyNameOf(text: string): TopologyName | undefined {
  return deprecatedTopologyNames.get(text) ?? (names.includes(text) ? (text as TopologyName) : undefined)
}

/** Returns the preferred topology; sockets by default, also for unknown names. */
export function preferredTopology(preference: VirtualMachinePreferenceSpec | undefined): TopologyName {
  return topologyNameOf(preference?.cpu?.preferredCPUTopology ?? '') ?? 'sockets'
}

/**
 * Returns spread options: across sockets and cores with a ratio of 2 by default. A ratio of 0 is
 * unset.
 */
export function spreadOptionsOf(preference: VirtualMachinePreferenceSpec | undefined): SpreadOptions {
  const options = preference?.cpu?.spreadOptions
  return {
    across: (options?.across as SpreadAcross | undefined) ?? 'SocketsCores',
    ratio: options?.ratio || preference?.preferSpreadSocketToCoreRatio || 2,
  }
}

/**
 * Distributes `vcpus` over sockets, cores and threads. As in KubeVirt, numbers that do not divide
 * lose CPUs (admission rejects them); each level has at least one.
 */
export function layOutCpus(vcpus: number, preference: VirtualMachinePreferenceSpec | undefined): CpuTopology {
  if (vcpus <= 1) return { sockets: 1, cores: 1, threads: 1 }
  switch (preferredTopology(preference)) {
    case 'cores':
      return { sockets: 1, cores: vcpus, threads: 1 }
    case 'threads':
      return { sockets: 1, cores: 1, threads: vcpus }
    case 'spread':
      return spread(vcpus, spreadOptionsOf(preference))
    case 'sockets':
    case 'any':
      return { sockets: vcpus, cores: 1, threads: 1 }
  }
}

function spread(vcpus: number, { across, ratio }: SpreadOptions): CpuTopology {
  switch (across) {
    case 'CoresThreads':
      return { sockets: 1, cores: atLeastOne(vcpus / ratio), threads: ratio }
    case 'SocketsCoresThreads':
      return { sockets: atLeastOne(Math.floor(vcpus / 2) / ratio), cores: ratio, threads: 2 }
    case 'SocketsCores':
    default:
      return { sockets: atLeastOne(vcpus / ratio), cores: ratio, threads: 1 }
  }
}

function atLeastOne(count: number): number {
  return Math.max(1, Math.floor(count))
}

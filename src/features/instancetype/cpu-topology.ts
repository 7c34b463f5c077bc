import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'

/** How virtual CPUs are laid out for the guest. */
export interface CpuTopology {
  readonly sockets: number
  readonly cores: number
  readonly threads: number
}

/** Layouts a preference can ask for, under their current names. */
export type TopologyName = 'sockets' | 'cores' | 'threads' | 'spread' | 'any'
/** Over which levels `spread` spreads. */
export type SpreadAcross = 'SocketsCores' | 'SocketsCoresThreads' | 'CoresThreads'

/** Old names of the layouts, still accepted. */
export const deprecatedTopologyNames: ReadonlyMap<string, TopologyName> = new Map<string, TopologyName>([
  ['preferSockets', 'sockets'],
  ['preferCores', 'cores'],
  ['preferThreads', 'threads'],
  ['preferSpread', 'spread'],
  ['preferAny', 'any'],
])
const names: readonly string[] = ['sockets', 'cores', 'threads', 'spread', 'any']

/** What a preference says about spreading, with defaults filled in. */
export interface SpreadOptions {
  readonly across: SpreadAcross
  readonly ratio: number
}

/** The current name of a layout; undefined when there is no such layout. */
export function topologyNameOf(text: string): TopologyName | undefined {
  return deprecatedTopologyNames.get(text) ?? (names.includes(text) ? (text as TopologyName) : undefined)
}

/**
 * The layout that a preference asks for. Default, also for names that admission would refuse:
 * sockets.
 */
export function preferredTopology(preference: VirtualMachinePreferenceSpec | undefined): TopologyName {
  return topologyNameOf(preference?.cpu?.preferredCPUTopology ?? '') ?? 'sockets'
}

/**
 * Spread options with defaults: across sockets and cores, ratio 2. A ratio of 0 means nothing and
 * counts as unset.
 */
export function spreadOptionsOf(preference: VirtualMachinePreferenceSpec | undefined): SpreadOptions {
  const options = preference?.cpu?.spreadOptions
  return {
    across: (options?.across as SpreadAcross | undefined) ?? 'SocketsCores',
    ratio: options?.ratio || preference?.preferSpreadSocketToCoreRatio || 2,
  }
}

/**
 * Lays out `vcpus` virtual CPUs. Numbers that do not divide lose CPUs, as in KubeVirt; admission
 * refuses them, and here no level ever gets less than one.
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

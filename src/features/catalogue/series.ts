import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'

/** Common properties of instance types for one kind of workload. */
export interface Series {
  /** With the version of the series: `u1`. */
  readonly name: string
  /** Value of the label `class`. */
  readonly class: string
  readonly displayName: string
  /** Purpose, as shown to users. */
  readonly description: string
  readonly icon: string
  readonly sizes: readonly Size[]
  /** Pins each vCPU to a physical CPU. */
  readonly dedicatedCpus?: true
  /** Runs the emulator on a CPU of its own. */
  readonly isolatedEmulator?: true
  /** Maps the NUMA topology of the node into the guest. */
  readonly numa?: true
  readonly realtime?: true
  /** Allows no hotplug of sockets, for which physical CPUs would have to be kept free. */
  readonly fixedSockets?: true
  /** Gives each disk an I/O thread, which runs beside the dedicated CPUs. */
  readonly ioThreads?: true
  readonly hugepages?: '2Mi' | '1Gi'
  /** Memory overcommit as a percentage of requested memory. */
  readonly overcommitPercent?: number
  readonly annotations?: VirtualMachineInstancetypeSpec['annotations']
}

/** Name, vCPUs and memory of one instance type. */
export type Size = readonly [name: string, vcpus: number, memory: string]

const smallest: readonly Size[] = [
  ['nano', 1, '512Mi'],
  ['micro', 1, '1Gi'],
  ['small', 1, '2Gi'],
]
const mediumToLargest: readonly Size[] = [['medium', 1, '4Gi'], ...doubling(4)]
const double: Size = ['2xmedium', 2, '4Gi']
const computeSizes: readonly Size[] = [['medium', 1, '2Gi'], ...doubling(2)]
const memorySizes = doubling(8)

/**
 * CRI-O annotations that disable load balancing and quotas on the guest's CPUs. Other runtimes
 * ignore them.
 */
const undisturbed = {
  'cpu-load-balancing.crio.io': 'disable',
  'cpu-quota.crio.io': 'disable',
  'irq-load-balancing.crio.io': 'disable',
}

const compute = {
  class: 'compute.exclusive',
  displayName: 'Compute Exclusive',
  icon: 'pficon-registry',
  dedicatedCpus: true,
  isolatedEmulator: true,
  numa: true,
  fixedSockets: true,
  ioThreads: true,
} as const
const memory = { class: 'memory.intensive', displayName: 'Memory Intensive', icon: 'fa-memory' } as const

/** All series. Names and sizes are those of KubeVirt's common-instancetypes. */
export const allSeries: readonly Series[] = [
  {
    name: 'u1',
    class: 'general.purpose',
    displayName: 'General Purpose',
    description:
      'For everything that needs nothing special. CPUs are shared with other guests, and may be used in full while the others rest.',
    icon: 'pficon-server-group',
    sizes: [...smallest, ...mediumToLargest, double],
  },
  {
    name: 'o1',
    class: 'overcommitted',
    displayName: 'Overcommitted',
    description:
      'Like u1, but half of the memory is not set aside: more guests fit on a node, and they suffer when all of them want all of it.',
    icon: 'pficon-virtual-machine',
    sizes: [...smallest, ...mediumToLargest],
    overcommitPercent: 50,
  },
  {
    ...compute,
    name: 'cx1',
    description:
      'For computation. Every virtual CPU is a physical one that no other guest gets; memory is in huge pages of 2 MiB, near its CPU.',
    sizes: computeSizes,
    hugepages: '2Mi',
  },
  {
    ...compute,
    name: 'cx1',
    description: 'For computation with much memory at once: like the other cx1, with huge pages of 1 GiB.',
    sizes: withGiantPages(computeSizes),
    hugepages: '1Gi',
  },
  {
    ...memory,
    name: 'm1',
    description: 'For databases and caches: 8 GiB for each virtual CPU, in huge pages of 2 MiB. CPUs are shared with other guests.',
    sizes: memorySizes,
    hugepages: '2Mi',
  },
  {
    ...memory,
    name: 'm1',
    description: 'For the largest databases and caches: like the other m1, with huge pages of 1 GiB.',
    sizes: withGiantPages(memorySizes),
    hugepages: '1Gi',
  },
  {
    name: 'n1',
    class: 'network',
    displayName: 'Network',
    description: 'For guests that move packets themselves, such as DPDK: dedicated CPUs, huge pages of 1 GiB, no interrupts from others.',
    icon: 'pficon-network',
    sizes: [['medium', 4, '4Gi'], ...doubling(2, 4)],
    dedicatedCpus: true,
    isolatedEmulator: true,
    hugepages: '1Gi',
    annotations: undisturbed,
  },
  {
    name: 'rt1',
    class: 'realtime',
    displayName: 'Realtime',
    description:
      'For work with deadlines: dedicated CPUs in realtime scheduling, locked huge pages of 1 GiB, the emulator on a CPU of its own.',
    icon: 'pficon-server-group',
    sizes: [...smallest.slice(1), ...mediumToLargest],
    dedicatedCpus: true,
    isolatedEmulator: true,
    numa: true,
    realtime: true,
    hugepages: '1Gi',
    annotations: undisturbed,
  },
  {
    name: 'd1',
    class: 'dedicated.vcpu',
    displayName: 'Dedicated vCPU',
    description: 'Like u1, but every virtual CPU is a physical one that no other guest gets. The emulator and I/O have CPUs of their own.',
    icon: 'pficon-server-group',
    sizes: [...smallest, ...mediumToLargest, double],
    dedicatedCpus: true,
    isolatedEmulator: true,
    ioThreads: true,
  },
]

/**
 * Generates large, xlarge, 2xlarge and so on, each twice the previous one. `memoryPerVcpu` is in
 * GiB.
 */
function doubling(memoryPerVcpu: number, smallestVcpus: number = 2): Size[] {
  return ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge'].map((name, step) => {
    const vcpus = smallestVcpus * 2 ** step
    return [name, vcpus, `${vcpus * memoryPerVcpu}Gi`]
  })
}

function withGiantPages(rows: readonly Size[]): Size[] {
  return rows.map(([name, vcpus, memorySize]) => [`${name}1gi`, vcpus, memorySize])
}

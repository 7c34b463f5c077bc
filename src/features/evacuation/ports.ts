import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import type { EvictionConfig } from '#features/eviction/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** Index of VMIs by the nodes that they are on, or shall leave. */
export const vmisByNode = 'evacuation.node'
/** Index of migrations by `namespace/name` of their VMI. */
export const migrationsByVmi = 'evacuation.vmi'

/** What evacuations need from the world. */
export interface Ports {
  readonly client: Pick<Client, 'create' | 'patch' | 'delete'>
  readonly nodes: Pick<Lister<Node>, 'get' | 'list'>
  /** Indexed by {@link vmisByNode}. */
  readonly vmis: Pick<Lister<VirtualMachineInstance>, 'byIndex'>
  /** Launcher pods, indexed by `podsByVmi`. */
  readonly pods: Pick<Lister<Pod>, 'byIndex'>
  /** Indexed by {@link migrationsByVmi}. */
  readonly migrations: Pick<Lister<VirtualMachineInstanceMigration>, 'byIndex'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Pick<Clock, 'now'>
  /** Asked each time: it follows the KubeVirt object. */
  readonly config: () => EvictionConfig
}

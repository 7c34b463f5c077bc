import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import type { EvictionConfig } from '#features/eviction/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** Index of VMIs by the nodes that they are on, or are marked to leave. */
export const vmisByNode = 'evacuation.node'
/** Index of migrations by `namespace/name` of their VMI. */
export const migrationsByVmi = 'evacuation.vmi'
/** Index of VMIs with a mark or traces of one, by the same nodes. */
export const markedByNode = 'evacuation.marked'
/** Index of active evacuations by the node that they evacuate. */
export const evacuationsByNode = 'evacuation.from'
/** Index of launcher pods with the eviction-in-progress annotation, by node. */
export const askedByNode = 'evacuation.asked'

/** Dependencies of the evacuation reconciler. */
export interface Ports {
  readonly client: Pick<Client, 'create' | 'patch' | 'delete'>
  readonly nodes: Pick<Lister<Node>, 'get' | 'list'>
  /** Indexed by {@link vmisByNode} and {@link markedByNode}. */
  readonly vmis: Pick<Lister<VirtualMachineInstance>, 'get' | 'byIndex'>
  /** Launcher pods, indexed by `podsByVmi` and {@link askedByNode}. */
  readonly pods: Pick<Lister<Pod>, 'byIndex'>
  /** Indexed by {@link migrationsByVmi} and {@link evacuationsByNode}. */
  readonly migrations: Pick<Lister<VirtualMachineInstanceMigration>, 'byIndex'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Pick<Clock, 'now'>
  /** Returns the current configuration, which follows the KubeVirt object. */
  readonly config: () => EvictionConfig
}

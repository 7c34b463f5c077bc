import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/**
 * Index of candidates for updates, all under one key: up-to-date guests, usually the most, then
 * cost nothing.
 */
export const updateCandidatesIndex = 'workload-update.concerned'
/** Index of active migrations, all under one key. */
export const activeMigrationsIndex = 'workload-update.under-way'

/** Dependencies of the workload update reconciler. */
export interface Ports {
  readonly client: Pick<Client, 'create' | 'patch' | 'delete'>
  readonly kubevirts: Pick<Lister<KubeVirt>, 'get' | 'list'>
  readonly nodes: Pick<Lister<Node>, 'list'>
  /** Indexed by {@link updateCandidatesIndex}. */
  readonly vmis: Pick<Lister<VirtualMachineInstance>, 'get' | 'byIndex'>
  /** Launcher pods, indexed by `podsByVmi`. */
  readonly pods: Pick<Lister<Pod>, 'byIndex'>
  /** Indexed by `migrationsByVmi` and {@link activeMigrationsIndex}. */
  readonly migrations: Pick<Lister<VirtualMachineInstanceMigration>, 'get' | 'list' | 'byIndex'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Pick<Clock, 'now'>
  /** Returns the current configuration, which follows the KubeVirt object. */
  readonly config: () => ClusterConfig
  /** Image that guests should run in. */
  readonly launcherImage: string
}

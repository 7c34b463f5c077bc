import type { Namespace } from '#api/core/v1/namespace.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { MigrationPolicy } from '#api/migrations/v1alpha1/migration-policy.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { OwnWrites } from '#runtime/cache/own-writes.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { OnPhase } from './metrics/metrics.ts'

/** Index of migrations by `namespace/name` of their VMI. */
export const migrationsByGuest = 'migration.guest'
/**
 * Index of active migrations, all under one key: final ones are kept for long and must cost
 * nothing.
 */
export const unfinished = 'migration.unfinished'

/** Dependencies of the migration reconciler. */
export interface Ports {
  readonly client: Client
  /** Indexed by {@link migrationsByGuest} and {@link unfinished}. */
  readonly migrations: Lister<VirtualMachineInstanceMigration>
  readonly vmis: Lister<VirtualMachineInstance>
  /** Launcher pods, indexed by the UID of their VMI. */
  readonly pods: Lister<Pod>
  readonly policies: Lister<MigrationPolicy>
  readonly namespaces: Lister<Namespace>
  readonly nodes: Pick<Lister<Node>, 'get' | 'list'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly onPhase: OnPhase
  readonly clock: Clock
  /** Recent writes to migrations and their VMIs. */
  readonly own: OwnWrites
  readonly config: () => ClusterConfig
  /** Image of the launcher, with version. */
  readonly launcherImage: string
  /** True if launchers run in containers. */
  readonly inContainer: boolean
  /** Reports whether launchers in containers can have image volumes. */
  readonly hasImageVolumes: () => Promise<boolean>
}

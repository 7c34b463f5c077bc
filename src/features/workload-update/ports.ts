import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/defaults/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'

/** What updates of guests need from the world. */
export interface Ports {
  readonly client: Pick<Client, 'create' | 'patch' | 'delete'>
  readonly kubevirts: Pick<Lister<KubeVirt>, 'get' | 'list'>
  readonly nodes: Pick<Lister<Node>, 'list'>
  readonly vmis: Pick<Lister<VirtualMachineInstance>, 'get' | 'list'>
  /** Launcher pods, indexed by `podsByVmi`. */
  readonly pods: Pick<Lister<Pod>, 'byIndex'>
  /** Indexed by `migrationsByVmi`. */
  readonly migrations: Pick<Lister<VirtualMachineInstanceMigration>, 'get' | 'list' | 'byIndex'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Pick<Clock, 'now'>
  /** Asked each time: it follows the KubeVirt object. */
  readonly config: () => ClusterConfig
  /** Image that guests should run in. */
  readonly launcherImage: string
}

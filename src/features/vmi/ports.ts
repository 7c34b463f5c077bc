import type { CDIConfig } from '#api/cdi/v1beta1/cdi-config.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { PodResizer } from './resize/pod-resizer.ts'

/** Dependencies of the VMI reconciler. */
export interface Ports {
  readonly client: Client
  readonly vmis: Lister<VirtualMachineInstance>
  /** Launcher pods, indexed by `podsByVmi`. */
  readonly pods: Lister<Pod>
  /** Pods that attach volumes, indexed by `attachmentsByVmi`. */
  readonly attachments: Lister<Pod>
  readonly claims: Pick<Lister<PersistentVolumeClaim>, 'get'>
  readonly configs: Pick<Lister<CDIConfig>, 'get'>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  /** Returns the current configuration, which follows the KubeVirt object. */
  readonly config: () => ClusterConfig
  /** Image of the launcher, with version. */
  readonly launcherImage: string
  readonly nodes: Pick<Lister<Node>, 'list'>
  /** True if launchers run in containers. */
  readonly inContainer: boolean
  /** Reports whether launchers in containers can have image volumes. */
  readonly hasImageVolumes: () => Promise<boolean>
  readonly resizer: PodResizer
}

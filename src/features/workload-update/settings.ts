import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { type ClusterConfig, parseWindows, pausesUpdates, settingAnnotations, windowsProblem } from '#features/cluster-config/index.ts'
import type { Settings } from './guests/facts.ts'

/** What of the cluster's configuration is about updates of guests. */
type UpdateConfig = Pick<
  ClusterConfig,
  'workloadUpdateMethods' | 'workloadUpdateBatchSize' | 'workloadUpdateBatchIntervalMs' | 'migrations'
>

/**
 * What the KubeVirt object says about updates of guests. Annotations that are not understood are a
 * pause: better late than at the wrong time.
 */
export function workloadUpdateSettings({ metadata }: KubeVirt, config: UpdateConfig): Settings {
  const { [settingAnnotations.updateWindows]: windowsText = '', [settingAnnotations.updatePaused]: paused = '' } =
    metadata.annotations ?? {}
  const isUnderstood = windowsProblem(windowsText) === undefined
  return {
    methods: config.workloadUpdateMethods,
    batchSize: config.workloadUpdateBatchSize,
    batchIntervalMs: config.workloadUpdateBatchIntervalMs,
    maxPerCluster: config.migrations.parallelMigrationsPerCluster,
    maxOutboundPerNode: config.migrations.parallelOutboundMigrationsPerNode,
    windows: isUnderstood ? parseWindows(windowsText) : [],
    isPaused: !isUnderstood || pausesUpdates(paused),
  }
}

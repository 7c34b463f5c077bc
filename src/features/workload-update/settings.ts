import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { type ClusterConfig, parseWindows, pausesUpdates, settingAnnotations, windowsProblem } from '#features/cluster-config/index.ts'
import type { Settings } from './guests/facts.ts'

/** Cluster configuration of workload updates. */
type UpdateConfig = Pick<
  ClusterConfig,
  'workloadUpdateMethods' | 'workloadUpdateBatchSize' | 'workloadUpdateBatchIntervalMs' | 'migrations'
>

/**
 * Returns the settings of the KubeVirt object. An annotation that cannot be parsed pauses updates:
 * late is better than outside of a window.
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

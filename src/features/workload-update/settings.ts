import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { parseDuration } from '#apimachinery/cel/time.ts'
import type { ClusterConfig } from '#features/defaults/index.ts'
import type { Settings } from './facts.ts'
import { updateNames } from './names.ts'
import { parseWindows, WindowInvalid } from './windows.ts'

/** KubeVirt's. */
const defaultBatchSize = 10
const defaultBatchIntervalMs = 60_000

/** What the KubeVirt object says about updates of guests. Windows that are not understood are a pause: better late than at the wrong time. */
export function settingsOf({ metadata, spec }: KubeVirt, config: Pick<ClusterConfig, 'workloadUpdateMethods' | 'migrations'>): Settings {
  const { batchEvictionSize, batchEvictionInterval } = spec.workloadUpdateStrategy ?? {}
  const windows = windowsOf(metadata.annotations?.[updateNames.windowsAnnotation] ?? '')
  return {
    methods: config.workloadUpdateMethods,
    batchSize: batchEvictionSize === undefined ? defaultBatchSize : Number(batchEvictionSize),
    batchIntervalMs: durationMs(batchEvictionInterval) ?? defaultBatchIntervalMs,
    mostPerCluster: config.migrations.parallelMigrationsPerCluster,
    mostPerNode: config.migrations.parallelOutboundMigrationsPerNode,
    windows: windows ?? [],
    isPaused: windows === undefined || metadata.annotations?.[updateNames.pausedAnnotation] === 'true',
  }
}

function windowsOf(text: string): Settings['windows'] | undefined {
  try {
    return parseWindows(text)
  } catch (error) {
    if (error instanceof WindowInvalid) return undefined
    throw error
  }
}

function durationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return Number(parseDuration(text).nanos / 1_000_000n)
  } catch {
    return undefined
  }
}

import { defaultClusterConfig, type ClusterConfig } from './cluster-config.ts'
import type { LiveConfig } from './live-config.ts'

/** A configuration that never changes: the defaults, with these settings. */
export function fixedConfig(settings: Partial<ClusterConfig>): LiveConfig {
  const config = { ...defaultClusterConfig, ...settings }
  return {
    config: () => config,
    installed: () => true,
    synced: async () => {},
    wake: () => ({ start: () => ({ [Symbol.dispose]: () => {} }), synced: async () => {} }),
  }
}

import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { ClusterState } from './cluster-state.ts'

/** A cluster and its configuration. */
export interface ConfiguredState {
  readonly cluster: ClusterState
  readonly config: ClusterConfig
}

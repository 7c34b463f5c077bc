import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { World } from './cluster-state.ts'

/** A world and its configuration. */
export interface Moment {
  readonly world: World
  readonly config: ClusterConfig
}

import type { ClusterConfig } from '#features/defaults/index.ts'
import type { World } from './world.ts'

/** A world and its configuration. */
export interface Moment {
  readonly world: World
  readonly config: ClusterConfig
}

import type { Client } from '#client/client.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Logger } from '#runtime/log.ts'

/** What every controller of the cluster needs. */
export interface ControllerOptions {
  readonly client: Client
  readonly informers: InformerSet
  readonly clock: Clock
  readonly log: Logger
}

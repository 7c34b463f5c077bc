import type { Client } from '#client/client.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'

/** Dependencies of every controller of the cluster. */
export interface ControllerOptions {
  readonly client: Client
  readonly informers: InformerSet
  readonly clock: Clock
  readonly log: Logger
}

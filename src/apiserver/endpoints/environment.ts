import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ServiceAccountTokens } from '#apiserver/service-accounts/service-account-tokens.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { Timers } from '../request/timers.ts'
import type { Views } from './views.ts'

/** What every verb works with. */
export interface Environment {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly admission: readonly AdmissionPlugin[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly randomUuid: () => string
  /** Yields numbers in [0, 1). */
  readonly random: () => number
  readonly timers: Timers
  readonly views: Views
  /** Undefined where service accounts get no tokens. */
  readonly accountTokens: ServiceAccountTokens | undefined
}

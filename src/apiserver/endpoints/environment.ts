import type { AdmissionPlugin } from '#apiserver/admission/chain.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ServiceAccountTokens } from '#apiserver/service-accounts/service-account-tokens.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { Timers } from '../request/timers.ts'
import type { Views } from './views.ts'

/** Dependencies of the verbs. */
export interface Environment {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly admission: readonly AdmissionPlugin[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly randomUuid: () => string
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  readonly timers: Timers
  readonly views: Views
  /** Undefined where TokenRequest is not served. */
  readonly accountTokens: ServiceAccountTokens | undefined
}

import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'

/** Names a priority for pods. */
export interface PriorityClass extends ApiObject {
  /**
   * The priority; higher goes first.
   * @default 0
   */
  value: Int32
  /** Whether pods without a class get this one. */
  globalDefault?: boolean
  /** Intended use. */
  description?: string
  /**
   * PreemptLowerPriority or Never.
   * @default PreemptLowerPriority
   */
  preemptionPolicy?: string
}

import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'

/** Named priority of pods. */
export interface PriorityClass extends ApiObject {
  /**
   * Priority of the pods. Pods with a higher priority come first.
   * @default 0
   */
  value: Int32
  /** True if the class applies to pods without a class. */
  globalDefault?: boolean
  /** Intended use of the class. */
  description?: string
  /**
   * Preemption policy: PreemptLowerPriority or Never.
   * @default PreemptLowerPriority
   */
  preemptionPolicy?: string
}

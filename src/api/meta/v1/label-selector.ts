/**
 * Selector of objects by labels. All requirements must match. An empty selector matches all
 * objects.
 * @mapType atomic
 */
export interface LabelSelector {
  /** Labels that must have exactly these values. */
  matchLabels?: Record<string, string>
  /**
   * Requirements on labels. All requirements must match.
   * @listType atomic
   */
  matchExpressions?: LabelSelectorRequirement[]
}

/** Requirement on a label. */
export interface LabelSelectorRequirement {
  /** Key of the label. */
  key: string
  /** Comparison operator: In, NotIn, Exists or DoesNotExist. */
  operator: string
  /**
   * Values to compare with; empty for Exists and DoesNotExist.
   * @listType atomic
   */
  values?: string[]
}

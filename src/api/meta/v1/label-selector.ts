/**
 * Chooses objects by their labels; all parts must match. An empty selector matches everything.
 * @mapType atomic
 */
export interface LabelSelector {
  /** Labels that must have exactly these values. */
  matchLabels?: Record<string, string>
  /**
   * Conditions on labels, all of which must hold.
   * @listType atomic
   */
  matchExpressions?: LabelSelectorRequirement[]
}

/** One condition on a label. */
export interface LabelSelectorRequirement {
  /** The label key. */
  key: string
  /** How the label is compared: In, NotIn, Exists or DoesNotExist. */
  operator: string
  /**
   * Values to compare with; none for Exists and DoesNotExist.
   * @listType atomic
   */
  values?: string[]
}

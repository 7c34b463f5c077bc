/** Metrics and alerts. The value `none` alone removes all of a list. */
export interface ObservabilityConfig {
  /** Metrics of guests. */
  workloads?: ObservabilityWorkloadsConfig
  /**
   * Alerts that are kept; all when absent.
   * @maxItems 256
   * @listType atomic
   * @rule size(self) <= 1 || !self.exists(name, name == 'none'); none must be the only value
   */
  allowedAlerts?: string[]
  /**
   * Recording rules that are kept; all when absent.
   * @maxItems 256
   * @listType atomic
   * @rule size(self) <= 1 || !self.exists(name, name == 'none'); none must be the only value
   */
  allowedRecordingRules?: string[]
}

/** Metrics of guests. */
export interface ObservabilityWorkloadsConfig {
  /**
   * Metrics that are kept; all when absent.
   * @maxItems 256
   * @listType atomic
   * @rule size(self) <= 1 || !self.exists(name, name == 'none'); none must be the only value
   */
  allowedMetrics?: string[]
}

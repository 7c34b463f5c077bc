import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { DeploymentConfig } from './deployment.ts'
import type { NetworkingConfig } from './networking.ts'
import type { ObservabilityConfig } from './observability.ts'
import type { SecurityConfig } from './security.ts'
import type { HyperConvergedStatus } from './status.ts'
import type { StorageConfig } from './storage.ts'
import type { VirtualizationConfig } from './virtualization.ts'
import type { WorkloadSourcesConfig } from './workload-sources.ts'

/** Configuration of all components of a virtualization platform in one object. */
export interface HyperConverged extends ApiObject {
  /**
   * Desired state of the platform.
   * @default {}
   */
  spec?: HyperConvergedSpec
  /** Observed state of the platform. */
  status?: HyperConvergedStatus
}

/** Desired state of a platform. */
export interface HyperConvergedSpec {
  /**
   * Features that are switched on or off. A gate that is not listed has the default of its phase.
   * @maxItems 64
   * @listType atomic
   * @rule self.all(a, self.exists_one(b, a.name.lowerAscii() == b.name.lowerAscii()));
   * a gate must be listed once, in upper or lower case
   */
  featureGates?: FeatureGate[]
  /**
   * Guests and their node agents.
   * @default {}
   */
  virtualization?: VirtualizationConfig
  /** Storage of guests and imports. */
  storage?: StorageConfig
  /** Networks of guests. */
  networking?: NetworkingConfig
  /**
   * Templates, boot images and instance types.
   * @default {}
   */
  workloadSources?: WorkloadSourcesConfig
  /**
   * Certificates and TLS.
   * @default {}
   */
  security?: SecurityConfig
  /**
   * Placement, logs and optional components.
   * @default {}
   */
  deployment?: DeploymentConfig
  /** Metrics and alerts. */
  observability?: ObservabilityConfig
}

/** State of one feature. */
export interface FeatureGate {
  /**
   * Name of the feature gate. Upper and lower case are the same.
   * @minLength 1
   * @maxLength 256
   */
  name: string
  /**
   * State of the feature: Enabled or Disabled.
   * @enum Enabled,Disabled
   * @default Enabled
   */
  state?: 'Enabled' | 'Disabled'
}

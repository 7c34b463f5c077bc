import type { Quantity } from '#api/scalars.ts'

/** Settings of a component that it applies without a restart. */
export interface ReloadableComponentConfiguration {
  /** Client of the Kubernetes API. */
  restClient?: RESTClientConfiguration
}

/** Settings of a client of the Kubernetes API. */
export interface RESTClientConfiguration {
  /** Limit of the rate of requests. */
  rateLimiter?: RateLimiter
}

/** Limit of the rate of requests. */
export interface RateLimiter {
  /** Limit by a bucket of tokens, of which each request takes one. */
  tokenBucketRateLimiter?: TokenBucketRateLimiter
}

/** Bucket of tokens. */
export interface TokenBucketRateLimiter {
  /** Tokens that are added each second. */
  qps: number
  /**
   * Tokens that the bucket holds.
   * @format int32
   */
  burst: number
}

/** Compute resources of a type of container that launcher pods have besides the guest's. */
export interface SupportContainerResources {
  /** Type of the container, such as `virtiofs` or `sidecar`. */
  type: string
  /** Compute resources of the container. */
  resources: ContainerResources
}

/** Compute resources of a container. */
export interface ContainerResources {
  /** Requested amounts: `memory`, `cpu`. */
  requests?: Record<string, Quantity>
  /** Maximum amounts: `memory`, `cpu`. */
  limits?: Record<string, Quantity>
}

/** Seccomp profiles. */
export interface SeccompConfiguration {
  /** Profile of launcher pods. */
  virtualMachineInstanceProfile?: VirtualMachineInstanceProfile
}

/** Seccomp profile of launcher pods. */
export interface VirtualMachineInstanceProfile {
  /** Another profile than the one of the container runtime. */
  customProfile?: CustomProfile
}

/** Seccomp profile of a node. */
export interface CustomProfile {
  /** Path of the profile, below the folder of the kubelet's profiles. */
  localhostProfile?: string
  /** Uses the profile of the container runtime. */
  runtimeDefaultProfile?: boolean
}

import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, IntOrString } from '#api/scalars.ts'

/** Stable name and address for a set of pods. */
export interface Service extends ApiObject {
  /** Desired state of the service. */
  spec?: ServiceSpec
  /** Observed state of the service. */
  status?: ServiceStatus
}

/** Desired state of a service. */
export interface ServiceSpec {
  /**
   * Ports of the service.
   * @listType map key=port,protocol
   * @patchStrategy merge key=port
   */
  ports?: ServicePort[]
  /**
   * Labels of the pods that the service selects.
   * @mapType atomic
   */
  selector?: Record<string, string>
  /** IP address of the service; `None` makes the service headless. */
  clusterIP?: string
  /**
   * IP addresses of the service, one per IP family.
   * @listType atomic
   */
  clusterIPs?: string[]
  /**
   * Type of the service: ClusterIP, NodePort, LoadBalancer or ExternalName.
   * @default ClusterIP
   */
  type?: string
  /**
   * Additional IP addresses that route to the service.
   * @listType atomic
   */
  externalIPs?: string[]
  /**
   * Session affinity: ClientIP or None.
   * @default None
   */
  sessionAffinity?: string
  /** IP address of the load balancer. Deprecated. */
  loadBalancerIP?: string
  /**
   * Address ranges of the clients that may use the load balancer.
   * @listType atomic
   */
  loadBalancerSourceRanges?: string[]
  /** DNS name that the service is an alias of. */
  externalName?: string
  /** Routing policy for external traffic: Cluster or Local. */
  externalTrafficPolicy?: string
  /** Port for health checks of the nodes. */
  healthCheckNodePort?: Int32
  /** True if addresses of pods are published before the pods are ready. */
  publishNotReadyAddresses?: boolean
  /** Settings of the session affinity. */
  sessionAffinityConfig?: SessionAffinityConfig
  /**
   * IP families of the service.
   * @listType atomic
   */
  ipFamilies?: string[]
  /** IP family policy: SingleStack, PreferDualStack or RequireDualStack. */
  ipFamilyPolicy?: string
  /** True if node ports are allocated for the load balancer. */
  allocateLoadBalancerNodePorts?: boolean
  /** Class of the load balancer. */
  loadBalancerClass?: string
  /** Routing policy for traffic within the cluster: Cluster or Local. */
  internalTrafficPolicy?: string
  /** Preference among endpoints for the distribution of traffic. */
  trafficDistribution?: string
}

/** A port of a service. */
export interface ServicePort {
  /** Name of the port, unique within the service. */
  name?: string
  /**
   * Protocol of the port: TCP, UDP or SCTP.
   * @default TCP
   */
  protocol?: string
  /** Application protocol, on top of the transport protocol. */
  appProtocol?: string
  /** Port number of the service. */
  port: Int32
  /** Number or name of the port of the pods. */
  targetPort?: IntOrString
  /** Port number on every node. */
  nodePort?: Int32
}

/** Settings of the session affinity. */
export interface SessionAffinityConfig {
  /** Settings of ClientIP affinity. */
  clientIP?: ClientIPConfig
}

/** Settings of ClientIP affinity. */
export interface ClientIPConfig {
  /** Seconds that the traffic of a client is sent to the same pod. */
  timeoutSeconds?: Int32
}

/** Observed state of a service. */
export interface ServiceStatus {
  /** Observed state of the load balancer. */
  loadBalancer?: LoadBalancerStatus
  /**
   * Conditions of the service.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: Condition[]
}

/** Observed state of a load balancer. */
export interface LoadBalancerStatus {
  /**
   * Addresses of the load balancer.
   * @listType atomic
   */
  ingress?: LoadBalancerIngress[]
}

/** Address of a load balancer. */
export interface LoadBalancerIngress {
  /** IP address of the load balancer. */
  ip?: string
  /** Host name of the load balancer. */
  hostname?: string
  /** Mode in which the load balancer forwards traffic for the IP address. */
  ipMode?: string
  /**
   * Ports of the load balancer.
   * @listType atomic
   */
  ports?: PortStatus[]
}

/** A port of a load balancer. */
export interface PortStatus {
  /** Port number. */
  port: Int32
  /** Protocol of the port: TCP, UDP or SCTP. */
  protocol: string
  /** Error message of the port. */
  error?: string
}

import type { Condition } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, IntOrString } from '#api/scalars.ts'

/** A stable name and address for a set of pods. */
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
   * Labels of the pods.
   * @mapType atomic
   */
  selector?: Record<string, string>
  /** Address of the service; `None` makes it headless. */
  clusterIP?: string
  /**
   * Addresses of the service, one per IP family.
   * @listType atomic
   */
  clusterIPs?: string[]
  /**
   * ClusterIP, NodePort, LoadBalancer or ExternalName.
   * @default ClusterIP
   */
  type?: string
  /**
   * Further addresses that lead to the service.
   * @listType atomic
   */
  externalIPs?: string[]
  /**
   * ClientIP or None.
   * @default None
   */
  sessionAffinity?: string
  /** Address of the load balancer; deprecated. */
  loadBalancerIP?: string
  /**
   * Client addresses allowed to use the load balancer.
   * @listType atomic
   */
  loadBalancerSourceRanges?: string[]
  /** Name that the service stands for. */
  externalName?: string
  /** Cluster or Local. */
  externalTrafficPolicy?: string
  /** Port for health checks of the nodes. */
  healthCheckNodePort?: Int32
  /** Lists pods before they are ready. */
  publishNotReadyAddresses?: boolean
  /** Settings of the session affinity. */
  sessionAffinityConfig?: SessionAffinityConfig
  /**
   * IP families of the service.
   * @listType atomic
   */
  ipFamilies?: string[]
  /** SingleStack, PreferDualStack or RequireDualStack. */
  ipFamilyPolicy?: string
  /** Whether a load balancer needs node ports. */
  allocateLoadBalancerNodePorts?: boolean
  /** Which load balancer is meant. */
  loadBalancerClass?: string
  /** Cluster or Local. */
  internalTrafficPolicy?: string
  /** Preference among endpoints. */
  trafficDistribution?: string
}

/** A port of a service. */
export interface ServicePort {
  /** Name, unique within the service. */
  name?: string
  /**
   * TCP, UDP or SCTP.
   * @default TCP
   */
  protocol?: string
  /** Protocol above TCP. */
  appProtocol?: string
  /** Port of the service. */
  port: Int32
  /** Port of the pods, as number or name. */
  targetPort?: IntOrString
  /** Port on every node. */
  nodePort?: Int32
}

/** Settings of the session affinity. */
export interface SessionAffinityConfig {
  /** For ClientIP. */
  clientIP?: ClientIPConfig
}

/** Settings of ClientIP affinity. */
export interface ClientIPConfig {
  /** Seconds that a client stays with a pod. */
  timeoutSeconds?: Int32
}

/** Observed state of a service. */
export interface ServiceStatus {
  /** The load balancer. */
  loadBalancer?: LoadBalancerStatus
  /**
   * The state of the service, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: Condition[]
}

/** Observed state of a load balancer. */
export interface LoadBalancerStatus {
  /**
   * Where it listens.
   * @listType atomic
   */
  ingress?: LoadBalancerIngress[]
}

/** Where a load balancer listens. */
export interface LoadBalancerIngress {
  /** Address. */
  ip?: string
  /** Host name. */
  hostname?: string
  /** How the address behaves. */
  ipMode?: string
  /**
   * Ports.
   * @listType atomic
   */
  ports?: PortStatus[]
}

/** A port of a load balancer. */
export interface PortStatus {
  /** Port number. */
  port: Int32
  /** TCP, UDP or SCTP. */
  protocol: string
  /** Error message. */
  error?: string
}

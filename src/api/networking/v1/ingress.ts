import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'
import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'

/** Lets HTTP traffic from outside in, by host and path. */
export interface Ingress extends ApiObject {
  /** Desired state. */
  spec?: IngressSpec
  /** Observed state. */
  status?: IngressStatus
}

/** Desired state of an ingress. */
export interface IngressSpec {
  /** Name of the class, and so of the controller that is in charge. */
  ingressClassName?: string
  /** Where what no rule matches goes. */
  defaultBackend?: IngressBackend
  /**
   * Certificates by host.
   * @listType atomic
   */
  tls?: IngressTLS[]
  /**
   * Where requests go.
   * @listType atomic
   */
  rules?: IngressRule[]
}

/** A certificate, and the hosts it is for. */
export interface IngressTLS {
  /**
   * Hosts.
   * @listType atomic
   */
  hosts?: string[]
  /** Secret with the certificate. */
  secretName?: string
}

/** Where requests for a host go. */
export interface IngressRule {
  /** The host; none: all. */
  host?: string
  /** Paths. */
  http?: HTTPIngressRuleValue
}

/** Paths of a host. */
export interface HTTPIngressRuleValue {
  /**
   * The paths.
   * @listType atomic
   */
  paths: HTTPIngressPath[]
}

/** A path, and where it leads. */
export interface HTTPIngressPath {
  /** The path. */
  path?: string
  /** Exact, Prefix or ImplementationSpecific. */
  pathType: string
  /** Where requests go. */
  backend: IngressBackend
}

/** Where requests go: a service, or any object that the controller knows. */
export interface IngressBackend {
  /** A service. */
  service?: IngressServiceBackend
  /** Some other object of the namespace. */
  resource?: TypedLocalObjectReference
}

/** A port of a service. */
export interface IngressServiceBackend {
  /** Name of the service. */
  name: string
  /** The port. */
  port?: ServiceBackendPort
}

/**
 * A port, by name or number.
 * @mapType atomic
 */
export interface ServiceBackendPort {
  /** Its name. */
  name?: string
  /** Its number. */
  number?: Int32
}

/** Observed state of an ingress. */
export interface IngressStatus {
  /** Addresses from outside. */
  loadBalancer?: IngressLoadBalancerStatus
}

/** Addresses from outside. */
export interface IngressLoadBalancerStatus {
  /**
   * The addresses.
   * @listType atomic
   */
  ingress?: IngressLoadBalancerIngress[]
}

/** One address from outside. */
export interface IngressLoadBalancerIngress {
  /** Address. */
  ip?: string
  /** Host name. */
  hostname?: string
  /**
   * Open ports.
   * @listType atomic
   */
  ports?: IngressPortStatus[]
}

/** A port of an address. */
export interface IngressPortStatus {
  /** Number. */
  port: Int32
  /** TCP, UDP or SCTP. */
  protocol: string
  /** Error message. */
  error?: string
}

/** Names the controller of ingresses. */
export interface IngressClass extends ApiObject {
  /** Desired state. */
  spec?: IngressClassSpec
}

/** Desired state of a class of ingresses. */
export interface IngressClassSpec {
  /** Name of the controller: `example.com/ingress`. */
  controller?: string
  /** More settings, in an object. */
  parameters?: IngressClassParametersReference
}

/** Where the settings of a class are. */
export interface IngressClassParametersReference {
  /** API group. */
  apiGroup?: string
  /** Kind. */
  kind: string
  /** Name. */
  name: string
  /** Cluster or Namespace. */
  scope?: string
  /** Namespace. */
  namespace?: string
}

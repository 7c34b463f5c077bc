import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'
import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'

/** Routes external HTTP traffic to backends by host and path. */
export interface Ingress extends ApiObject {
  /** Desired state of the Ingress. */
  spec?: IngressSpec
  /** Observed state of the Ingress. */
  status?: IngressStatus
}

/** Desired state of an ingress. */
export interface IngressSpec {
  /** Name of the IngressClass, which determines the responsible controller. */
  ingressClassName?: string
  /** Backend for requests that match no rule. */
  defaultBackend?: IngressBackend
  /**
   * Certificates by host.
   * @listType atomic
   */
  tls?: IngressTLS[]
  /**
   * Routing rules of requests.
   * @listType atomic
   */
  rules?: IngressRule[]
}

/** Certificate for hosts. */
export interface IngressTLS {
  /**
   * Host names that the certificate is for.
   * @listType atomic
   */
  hosts?: string[]
  /** Name of the Secret with the certificate. */
  secretName?: string
}

/** Routing rule of the requests to a host. */
export interface IngressRule {
  /** Host name; all hosts when absent. */
  host?: string
  /** Paths and their backends. */
  http?: HTTPIngressRuleValue
}

/** Paths of a host and their backends. */
export interface HTTPIngressRuleValue {
  /**
   * Paths and their backends.
   * @listType atomic
   */
  paths: HTTPIngressPath[]
}

/** Path and its backend. */
export interface HTTPIngressPath {
  /** Path of the URL. */
  path?: string
  /** Type of the path match: Exact, Prefix or ImplementationSpecific. */
  pathType: string
  /** Backend for the requests. */
  backend: IngressBackend
}

/** Backend for requests: a service, or any object that the controller supports. */
export interface IngressBackend {
  /** Service and its port. */
  service?: IngressServiceBackend
  /** Reference to another object in the namespace. */
  resource?: TypedLocalObjectReference
}

/** Service and its port. */
export interface IngressServiceBackend {
  /** Name of the service. */
  name: string
  /** Port of the service. */
  port?: ServiceBackendPort
}

/**
 * Port of a service, by name or number.
 * @mapType atomic
 */
export interface ServiceBackendPort {
  /** Name of the port. */
  name?: string
  /** Port number. */
  number?: Int32
}

/** Observed state of an ingress. */
export interface IngressStatus {
  /** External addresses of the ingress. */
  loadBalancer?: IngressLoadBalancerStatus
}

/** External addresses of an ingress. */
export interface IngressLoadBalancerStatus {
  /**
   * External addresses.
   * @listType atomic
   */
  ingress?: IngressLoadBalancerIngress[]
}

/** External address of an ingress. */
export interface IngressLoadBalancerIngress {
  /** IP address. */
  ip?: string
  /** Host name. */
  hostname?: string
  /**
   * Open ports.
   * @listType atomic
   */
  ports?: IngressPortStatus[]
}

/** Port of an external address. */
export interface IngressPortStatus {
  /** Port number. */
  port: Int32
  /** Protocol of the port: TCP, UDP or SCTP. */
  protocol: string
  /** Error message. */
  error?: string
}

/** Class of ingresses, with the responsible controller. */
export interface IngressClass extends ApiObject {
  /** Desired state of the IngressClass. */
  spec?: IngressClassSpec
}

/** Desired state of a class of ingresses. */
export interface IngressClassSpec {
  /** Name of the controller: `example.com/ingress`. */
  controller?: string
  /** Reference to an object with additional settings. */
  parameters?: IngressClassParametersReference
}

/** Reference to the object with the settings of a class. */
export interface IngressClassParametersReference {
  /** API group of the object. */
  apiGroup?: string
  /** Kind of the object. */
  kind: string
  /** Name of the object. */
  name: string
  /** Scope of the object: Cluster or Namespace. */
  scope?: string
  /** Namespace of the object. */
  namespace?: string
}

import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'

/** Part of the endpoints of a Service. */
export interface EndpointSlice extends ApiObject {
  /** Type of the addresses: IPv4, IPv6 or FQDN. */
  addressType: string
  /**
   * Endpoints of the slice. Go clients send null for an empty list.
   * @listType atomic
   * @optional
   */
  endpoints: Endpoint[]
  /**
   * Ports of all endpoints of the slice.
   * @listType atomic
   */
  ports?: EndpointSlicePort[]
}

/** Addresses of one pod. */
export interface Endpoint {
  /**
   * Addresses of the endpoint.
   * @listType set
   */
  addresses: string[]
  /** Conditions of the endpoint. */
  conditions?: EndpointConditions
  /** Host name of the endpoint. */
  hostname?: string
  /** Reference to the pod. */
  targetRef?: ObjectReference
  /** Deprecated topology labels. */
  deprecatedTopology?: Record<string, string>
  /** Name of the node of the pod. */
  nodeName?: string
  /** Zone of the node. */
  zone?: string
  /** Zones and nodes from which the endpoint should be used. */
  hints?: EndpointHints
}

/** Conditions of an endpoint. */
export interface EndpointConditions {
  /** True if the endpoint is ready for traffic. */
  ready?: boolean
  /** True if the endpoint serves traffic, even while terminating. */
  serving?: boolean
  /** True if the endpoint is terminating. */
  terminating?: boolean
}

/** Zones and nodes from which an endpoint should be used. */
export interface EndpointHints {
  /**
   * Zones from which the endpoint should be used.
   * @listType atomic
   */
  forZones?: ForZone[]
  /**
   * Nodes from which the endpoint should be used.
   * @listType atomic
   */
  forNodes?: ForNode[]
}

/** Zone from which an endpoint should be used. */
export interface ForZone {
  /** Name of the zone. */
  name: string
}

/** Node from which an endpoint should be used. */
export interface ForNode {
  /** Name of the node. */
  name: string
}

/** Port of an EndpointSlice. */
export interface EndpointSlicePort {
  /** Name of the port. */
  name?: string
  /**
   * Protocol of the port: TCP, UDP or SCTP.
   * @default TCP
   */
  protocol?: string
  /** Port number. */
  port?: Int32
  /** Application protocol, on top of the transport protocol. */
  appProtocol?: string
}

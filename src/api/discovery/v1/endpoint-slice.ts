import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'
import type { ObjectReference } from '#api/core/v1/references.ts'

/** A part of the addresses behind a service. */
export interface EndpointSlice extends ApiObject {
  /** IPv4, IPv6 or FQDN. */
  addressType: string
  /**
   * The addresses. Go clients send null for none.
   * @listType atomic
   * @optional
   */
  endpoints: Endpoint[]
  /**
   * The ports of all of them.
   * @listType atomic
   */
  ports?: EndpointSlicePort[]
}

/** The addresses of one pod. */
export interface Endpoint {
  /**
   * The addresses.
   * @listType set
   */
  addresses: string[]
  /** Whether they can be used. */
  conditions?: EndpointConditions
  /** Host name. */
  hostname?: string
  /** The pod. */
  targetRef?: ObjectReference
  /** Deprecated topology labels. */
  deprecatedTopology?: Record<string, string>
  /** Node of the pod. */
  nodeName?: string
  /** Zone of the node. */
  zone?: string
  /** Where it should be used from. */
  hints?: EndpointHints
}

/** Whether addresses can be used. */
export interface EndpointConditions {
  /** Ready for traffic. */
  ready?: boolean
  /** Serving, even when terminating. */
  serving?: boolean
  /** On its way out. */
  terminating?: boolean
}

/** Where an address should be used from. */
export interface EndpointHints {
  /**
   * Zones.
   * @listType atomic
   */
  forZones?: ForZone[]
  /**
   * Nodes.
   * @listType atomic
   */
  forNodes?: ForNode[]
}

/** A zone. */
export interface ForZone {
  /** Name of the zone. */
  name: string
}

/** A node. */
export interface ForNode {
  /** Name of the node. */
  name: string
}

/** A port of a slice. */
export interface EndpointSlicePort {
  /** Name of the port. */
  name?: string
  /**
   * TCP, UDP or SCTP.
   * @default TCP
   */
  protocol?: string
  /** Port number. */
  port?: Int32
  /** Protocol above TCP. */
  appProtocol?: string
}

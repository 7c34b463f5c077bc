import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'
import type { ObjectReference } from './references.ts'

/** Addresses of the endpoints of a Service. */
export interface Endpoints extends ApiObject {
  /**
   * Groups of addresses with the same ports.
   * @listType atomic
   */
  subsets?: EndpointSubset[]
}

/** Addresses with the same ports. */
export interface EndpointSubset {
  /**
   * Addresses that are ready.
   * @listType atomic
   */
  addresses?: EndpointAddress[]
  /**
   * Addresses that are not ready.
   * @listType atomic
   */
  notReadyAddresses?: EndpointAddress[]
  /**
   * Ports of the addresses.
   * @listType atomic
   */
  ports?: EndpointPort[]
}

/**
 * Address of an endpoint.
 * @mapType atomic
 */
export interface EndpointAddress {
  /** IP address. */
  ip: string
  /** Host name of the endpoint. */
  hostname?: string
  /** Name of the node with the address. */
  nodeName?: string
  /** Reference to the object with the address. */
  targetRef?: ObjectReference
}

/**
 * Port of an endpoint.
 * @mapType atomic
 */
export interface EndpointPort {
  /** Name of the port. */
  name?: string
  /** Port number. */
  port: Int32
  /**
   * Protocol of the port: TCP, UDP or SCTP.
   * @default TCP
   */
  protocol?: string
  /** Application protocol, on top of the transport protocol. */
  appProtocol?: string
}

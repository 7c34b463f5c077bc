import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32 } from '#api/scalars.ts'
import type { ObjectReference } from './references.ts'

/** The addresses behind a service. */
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
   * Ports.
   * @listType atomic
   */
  ports?: EndpointPort[]
}

/**
 * One address.
 * @mapType atomic
 */
export interface EndpointAddress {
  /** The address. */
  ip: string
  /** Host name. */
  hostname?: string
  /** Node with the address. */
  nodeName?: string
  /** Object with the address. */
  targetRef?: ObjectReference
}

/**
 * One port.
 * @mapType atomic
 */
export interface EndpointPort {
  /** Name of the port. */
  name?: string
  /** Port number. */
  port: Int32
  /**
   * TCP, UDP or SCTP.
   * @default TCP
   */
  protocol?: string
  /** Protocol above TCP. */
  appProtocol?: string
}

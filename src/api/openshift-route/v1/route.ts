import type { ApiObject } from '#api/meta/v1/api-object.ts'

/** OpenShift's way from outside to a Service, as far as it is read here. */
export interface Route extends ApiObject {
  /** Desired state. */
  spec: RouteSpec
  /** Observed state. */
  status?: RouteStatus
}

/** Desired state of a Route. */
export interface RouteSpec {
  /** What the Route leads to. */
  to: RouteTarget
}

/** Target of a Route. */
export interface RouteTarget {
  /** Service. */
  kind?: string
  /** Name of the Service. */
  name: string
}

/** Observed state of a Route. */
export interface RouteStatus {
  /**
   * Routers that serve the Route.
   * @listType atomic
   */
  ingress?: RouteIngress[]
}

/** A router that serves a Route. */
export interface RouteIngress {
  /** Host by which clients reach it. */
  host?: string
}

import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, IntOrString } from '#api/scalars.ts'

/** Allowed incoming and outgoing traffic of pods. */
export interface NetworkPolicy extends ApiObject {
  /** Desired state of the NetworkPolicy. */
  spec?: NetworkPolicySpec
}

/** Desired state of a policy. */
export interface NetworkPolicySpec {
  /**
   * Label selector for the pods that the policy applies to. An empty selector selects all pods of
   * the namespace.
   * @optional
   */
  podSelector: LabelSelector
  /**
   * Rules for allowed incoming traffic.
   * @listType atomic
   */
  ingress?: NetworkPolicyIngressRule[]
  /**
   * Rules for allowed outgoing traffic.
   * @listType atomic
   */
  egress?: NetworkPolicyEgressRule[]
  /**
   * Directions that the policy applies to: Ingress, Egress.
   * @listType atomic
   */
  policyTypes?: string[]
}

/** Rule for allowed incoming traffic. */
export interface NetworkPolicyIngressRule {
  /**
   * Destination ports; all ports when empty.
   * @listType atomic
   */
  ports?: NetworkPolicyPort[]
  /**
   * Sources of the traffic; all sources when empty.
   * @listType atomic
   */
  from?: NetworkPolicyPeer[]
}

/** Rule for allowed outgoing traffic. */
export interface NetworkPolicyEgressRule {
  /**
   * Destination ports; all ports when empty.
   * @listType atomic
   */
  ports?: NetworkPolicyPort[]
  /**
   * Destinations of the traffic; all destinations when empty.
   * @listType atomic
   */
  to?: NetworkPolicyPeer[]
}

/** Port, or range of ports. */
export interface NetworkPolicyPort {
  /** Protocol of the port: TCP, UDP or SCTP. */
  protocol?: string
  /** Number or name of the port. */
  port?: IntOrString
  /** Last port of the range. */
  endPort?: Int32
}

/** Source or destination of traffic. */
export interface NetworkPolicyPeer {
  /** Label selector for pods in the namespace of the policy or in the selected namespaces. */
  podSelector?: LabelSelector
  /** Label selector for namespaces. */
  namespaceSelector?: LabelSelector
  /** Range of IP addresses. */
  ipBlock?: IPBlock
}

/** Range of IP addresses. */
export interface IPBlock {
  /** Range in CIDR notation: `192.168.1.0/24`. */
  cidr: string
  /**
   * Ranges within the CIDR that are excluded.
   * @listType atomic
   */
  except?: string[]
}

import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, IntOrString } from '#api/scalars.ts'

/** Says which traffic pods may receive and send. */
export interface NetworkPolicy extends ApiObject {
  /** Desired state. */
  spec?: NetworkPolicySpec
}

/** Desired state of a policy. */
export interface NetworkPolicySpec {
  /**
   * Pods that the policy is for; an empty selector chooses all of the namespace.
   * @optional
   */
  podSelector: LabelSelector
  /**
   * Traffic that may come in.
   * @listType atomic
   */
  ingress?: NetworkPolicyIngressRule[]
  /**
   * Traffic that may go out.
   * @listType atomic
   */
  egress?: NetworkPolicyEgressRule[]
  /**
   * Directions that the policy is about: Ingress, Egress.
   * @listType atomic
   */
  policyTypes?: string[]
}

/** Traffic that may come in. */
export interface NetworkPolicyIngressRule {
  /**
   * To which ports; none: to all.
   * @listType atomic
   */
  ports?: NetworkPolicyPort[]
  /**
   * From where; none: from everywhere.
   * @listType atomic
   */
  from?: NetworkPolicyPeer[]
}

/** Traffic that may go out. */
export interface NetworkPolicyEgressRule {
  /**
   * To which ports; none: to all.
   * @listType atomic
   */
  ports?: NetworkPolicyPort[]
  /**
   * Where to; none: everywhere.
   * @listType atomic
   */
  to?: NetworkPolicyPeer[]
}

/** A port, or a range of ports. */
export interface NetworkPolicyPort {
  /** TCP, UDP or SCTP. */
  protocol?: string
  /** Number or name. */
  port?: IntOrString
  /** Last port of a range. */
  endPort?: Int32
}

/** Another side of the traffic. */
export interface NetworkPolicyPeer {
  /** Pods, of this namespace or of the chosen ones. */
  podSelector?: LabelSelector
  /** Namespaces. */
  namespaceSelector?: LabelSelector
  /** Addresses. */
  ipBlock?: IPBlock
}

/** A range of addresses. */
export interface IPBlock {
  /** The range: `192.168.1.0/24`. */
  cidr: string
  /**
   * Ranges within it that are left out.
   * @listType atomic
   */
  except?: string[]
}

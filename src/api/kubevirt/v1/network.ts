/** Named network of a VM. */
export interface Network extends NetworkSource {
  /** Name of the network; unique within the VM. */
  name: string
}

/** Source of a network; the pod network when no member is set. */
export interface NetworkSource {
  /** Pod network. */
  pod?: PodNetwork
  /** Network of a NetworkAttachmentDefinition, which Multus attaches on a cluster. */
  multus?: MultusNetwork
  /**
   * Network device from a ResourceClaim.
   * @notActedOn
   */
  resourceClaim?: ResourceClaimNetworkSource
}

/** Pod network. */
export interface PodNetwork {
  /**
   * CIDR of the addresses for the guest.
   * @notActedOn
   */
  vmNetworkCIDR?: string
  /**
   * CIDR of the IPv6 addresses for the guest.
   * @notActedOn
   */
  vmIPv6NetworkCIDR?: string
}

/** Network that Multus attaches. */
export interface MultusNetwork {
  /** Name of the NetworkAttachmentDefinition, as `name` or `namespace/name`. */
  networkName: string
  /** Makes the network the default network of the pod. */
  default?: boolean
}

/** Network device from a ResourceClaim. */
export interface ResourceClaimNetworkSource {
  /** Name of the claim in the resourceClaims of the VMI. */
  claimName?: string
  /** Name of the request in the ResourceClaim. */
  requestName?: string
}

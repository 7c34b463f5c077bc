/** A named network of a machine. */
export interface Network extends NetworkSource {
  /** Name, unique within the machine. */
  name: string
}

/** Source of a network; the pod network when none is set. */
export interface NetworkSource {
  /** The pod network. */
  pod?: PodNetwork
  /**
   * A network that Multus attaches.
   * @notActedOn
   */
  multus?: MultusNetwork
  /**
   * A network device that is claimed.
   * @notActedOn
   */
  resourceClaim?: ResourceClaimNetworkSource
}

/** The pod network. */
export interface PodNetwork {
  /**
   * Addresses of the guest's side.
   * @notActedOn
   */
  vmNetworkCIDR?: string
  /**
   * IPv6 addresses of the guest's side.
   * @notActedOn
   */
  vmIPv6NetworkCIDR?: string
}

/** A network that Multus attaches. */
export interface MultusNetwork {
  /** NetworkAttachmentDefinition, as `name` or `namespace/name`. */
  networkName: string
  /** Selects the default network of the pod. */
  default?: boolean
}

/** A network device that is claimed. */
export interface ResourceClaimNetworkSource {
  /** Name of the claim in the machine. */
  claimName?: string
  /** Name of the request in the claim. */
  requestName?: string
}

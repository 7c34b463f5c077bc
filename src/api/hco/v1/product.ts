/**
 * Product fields that HyperConverged sets in the KubeVirt object. The components carry them as
 * labels, so that a KubeVirt object without them causes a roll-out when it is adopted.
 */
export const kubeVirtProduct = { productName: 'hyperconverged-cluster', productComponent: 'compute' } as const

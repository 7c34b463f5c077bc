/** Names that KubeVirt gives to its certificates. */
export const certificateNames = {
  /** Secret with the authority and its key, and ConfigMap with all authorities that are to be believed. */
  authority: 'kubevirt-ca',
  /** Key of the ConfigMap. */
  bundleKey: 'ca-bundle',
  /** Secret of the server of webhooks and subresources. */
  api: 'kubevirt-virt-api-certs',
  /** Annotation of a Secret: for how long its certificate was to be valid. */
  duration: 'kubevirt.io/duration',
} as const

/** Names that KubeVirt gives to its certificates. */
export const certificateNames = {
  /**
   * Secret with the authority and its key, and ConfigMap with all authorities that are to be
   * believed.
   */
  authority: 'kubevirt-ca',
  /** Key of the ConfigMap. */
  bundleKey: 'ca-bundle',
  /** Secret of the server of webhooks and subresources. */
  api: 'kubevirt-virt-api-certs',
  /**
   * Secrets with what nodes show each other when guests move between them: the one that guests come
   * to, and the one that they leave.
   */
  migrationServer: 'kubevirt-virt-handler-server-certs',
  migrationClient: 'kubevirt-virt-handler-migration-client-certs',
  /** Annotation of the ConfigMap: when it was last changed. RFC 3339. */
  publishedAt: 'steadyvm.io/published-at',
  /** Annotation of a Secret: for how long its certificate was to be valid. */
  duration: 'kubevirt.io/duration',
} as const

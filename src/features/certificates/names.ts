/** KubeVirt's names of certificate objects. */
export const certificateNames = {
  /** Secret with the CA and its key, and ConfigMap with all trusted CAs. */
  authority: 'kubevirt-ca',
  /** Secret and ConfigMap of the CA of export servers, whose keys users can read. */
  exportAuthority: 'kubevirt-export-ca',
  /** Key of the ConfigMap. */
  bundleKey: 'ca-bundle',
  /** Secret of virt-api's serving certificate. */
  api: 'kubevirt-virt-api-certs',
  /** Secret of virt-operator's serving certificate. */
  operator: 'kubevirt-operator-certs',
  /** Secret of the certificate with which virt-api calls node agents. */
  apiClient: 'kubevirt-virt-handler-certs',
  /** Secret of the certificate with which virt-controller asks workers that fill volumes. */
  workerClient: 'kubevirt-virt-controller-client-certs',
  /**
   * Secrets with the certificates of migration targets and sources. Node agents show the first
   * one to virt-api, too.
   */
  migrationServer: 'kubevirt-virt-handler-server-certs',
  migrationClient: 'kubevirt-virt-handler-migration-client-certs',
  /** Annotation of the ConfigMap: time of its last change. RFC 3339. */
  publishedAt: 'steadyvm.io/published-at',
  /** Annotation of a Secret: requested duration of its certificate. */
  duration: 'kubevirt.io/duration',
} as const

/** Common name of virt-controller as the client of workers that fill volumes. */
export const workerClientName = 'kubevirt.io:system:client:virt-importer'

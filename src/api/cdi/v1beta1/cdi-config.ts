import type { LocalObjectReference } from '#api/core/v1/references.ts'
import type { ResourceRequirements } from '#api/core/v1/container.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, RawObject } from '#api/scalars.ts'

/** Settings of imports, in the object `config`. */
export interface CDIConfig extends ApiObject {
  /** Settings. */
  spec: CDIConfigSpec
  /** What is used. */
  status?: CDIConfigStatus
}

/**
 * Settings of imports.
 * @preserveUnknownFields
 */
export interface CDIConfigSpec {
  /** URL that clients upload to. */
  uploadProxyURLOverride?: string
  /** Proxies of pods that import. */
  importProxy?: ImportProxy
  /** Storage class of scratch space. */
  scratchSpaceStorageClass?: string
  /** Resources of pods that populate volumes. */
  podResourceRequirements?: ResourceRequirements
  /** Feature gates that are enabled. */
  featureGates?: string[]
  /** Whether claims are completed from StorageProfiles: `Enabled` or `Disabled`. */
  webhookPvcRendering?: string
  /** Share of volumes with a file system that is not for disks. */
  filesystemOverhead?: FilesystemOverhead
  /** True if the space of volumes is preallocated. */
  preallocation?: boolean
  /** Registries that are asked without TLS. */
  insecureRegistries?: string[]
  /** Unused. */
  dataVolumeTTLSeconds?: Int32
  /** TLS versions and ciphers. */
  tlsSecurityProfile?: RawObject
  /** Secrets for pulling the images of pods that populate volumes. */
  imagePullSecrets?: LocalObjectReference[]
  /** Verbosity of logs. */
  logVerbosity?: Int32
}

/** Share of volumes with a file system that is not for disks, from 0 to 1. */
export interface FilesystemOverhead {
  /**
   * Share for all storage classes.
   * @pattern ^(0(?:\.\d{1,3})?|1)$
   */
  global?: string
  /** Share by storage class. */
  storageClass?: Record<string, string>
}

/** Proxies of pods that import. */
export interface ImportProxy {
  /** Proxy for HTTP. */
  HTTPProxy?: string
  /** Proxy for HTTPS. */
  HTTPSProxy?: string
  /** Hosts and networks without a proxy, with commas. */
  noProxy?: string
  /** Name of a ConfigMap with certificates of authorities. */
  trustedCAProxy?: string
}

/**
 * Settings of imports that are used.
 * @preserveUnknownFields
 */
export interface CDIConfigStatus {
  /** URL that clients upload to. */
  uploadProxyURL?: string
  /** Certificate of the authority of that server. */
  uploadProxyCA?: string
  /** Proxies of pods that import. */
  importProxy?: ImportProxy
  /** Storage class of scratch space. */
  scratchSpaceStorageClass?: string
  /** Resources of pods that populate volumes. */
  defaultPodResourceRequirements?: ResourceRequirements
  /** Share of volumes with a file system that is not for disks. */
  filesystemOverhead?: FilesystemOverhead
  /** True if the space of volumes is preallocated. */
  preallocation?: boolean
  /** Secrets for pulling the images of pods that populate volumes. */
  imagePullSecrets?: LocalObjectReference[]
}

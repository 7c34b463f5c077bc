import type { TlsLimits } from '#runtime/webhook/tls-limits.ts'

/**
 * Task of an export server, as JSON in the environment variable EXPORTER_TASK of its container.
 * Holds no secrets: those are files, see `serverPaths`.
 */
export interface ExportTask {
  /** Name of the VirtualMachineExport. */
  readonly name: string
  /** RFC 3339. The server ends then: its certificate or the export expires. */
  readonly deadline: string
  readonly volumes: readonly ExportedVolume[]
  /** True if there are manifests of a VM. */
  readonly hasManifests: boolean
  /** Protocol versions and ciphers of the cluster. */
  readonly tls: TlsLimits
}

/** A claim in the container of an export server. */
export interface ExportedVolume {
  /** Name of the claim of the VM, which is a part of the URLs. */
  readonly claim: string
  /** Mount path of a file system, or path of a block device. */
  readonly path: string
  /** A disk image: `disk.img` or a block device. Otherwise any files. */
  readonly isDisk: boolean
}

/** Environment variable with the task. */
export const taskVariable = 'EXPORTER_TASK'

/** Port that an export server listens on, as in KubeVirt. */
export const serverPort = 8443

/** Folders of the container of an export server. */
export const serverPaths = {
  /** `tls.crt` and `tls.key`. */
  serving: '/cert',
  /** File `token`: what clients send. */
  token: '/token',
  /** Files `internal` and `external`: the manifests, a List as JSON, with links for either side. */
  manifests: '/manifest_data',
  /** Folder of file systems, by the name of the pod's volume. */
  fileSystems: '/export-volumes',
  /** Folder of block devices, by the name of the pod's volume. */
  devices: '/dev/export-volumes',
} as const

/** Header, or query parameter, with which clients send the token. */
export const tokenHeader = 'x-kubevirt-export-token'

/** Key of the token in its Secret. */
export const tokenKey = 'token'

/** Paths of an export server. KubeVirt's. */
export const serverUris = {
  ready: '/exportready',
  raw: (claim: string): string => `/volumes/${claim}/disk.img`,
  gzip: (claim: string): string => `/volumes/${claim}/disk.img.gz`,
  folder: (claim: string): string => `/volumes/${claim}/dir/`,
  archive: (claim: string): string => `/volumes/${claim}/disk.tar.gz`,
  manifests: (side: LinkSide): string => `/${side}/manifests/all`,
  secret: (side: LinkSide): string => `/${side}/manifests/secret`,
} as const

/** Side of a client: within the cluster or outside. */
export type LinkSide = 'internal' | 'external'

/** Name of the Secret with the token as a header, which the manifests refer to. */
export function headerSecretName(exportName: string): string {
  return `header-secret-${exportName}`
}

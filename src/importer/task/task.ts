/**
 * Task of a worker that fills a volume, as JSON in the environment variable IMPORTER_TASK of its
 * container. Holds no secrets: those are files, see `workerPaths`.
 */
export interface ImportTask {
  readonly source: ImportSource
  /** `kubevirt`: a disk, which becomes raw. `archive`: a tar, unpacked into the file system. */
  readonly contentType: 'kubevirt' | 'archive'
  /** The file `disk.img` of a mounted file system, or a block device. */
  readonly target: string
  /** Size of the volume: of the claim for a file system, of the device otherwise. */
  readonly volumeBytes: number
  /** Share of the volume that file systems keep for themselves, such as 0.055. Zero for devices. */
  readonly overhead: number
  /** Allocates all blocks of the disk. */
  readonly preallocation: boolean
}

/** Source of the content. */
export type ImportSource =
  | HttpSource
  | S3Source
  | RegistrySource
  | CloneSource
  | { readonly kind: 'blank' }
  | { readonly kind: 'upload' }
  | PeerSource

/** File of a web server. */
export interface HttpSource {
  readonly kind: 'http'
  readonly url: string
  /** Digest of the bytes as downloaded: `sha256:…`, `md5:…`, `sha1:…` or `sha512:…`. */
  readonly checksum?: string
  /** Headers such as `X-Token: a`. Those from Secrets are files. */
  readonly headers: readonly string[]
  readonly insecureSkipVerify: boolean
}

/** Object of S3 at `https://host/bucket/key` or `s3://bucket/key`. */
export interface S3Source {
  readonly kind: 's3'
  readonly url: string
}

/** Image of a container registry: `docker://…` with tag or digest, or `oci-archive:///path`. */
export interface RegistrySource {
  readonly kind: 'registry'
  readonly url: string
  /** Architecture of the image in Go's names. Default: that of the worker. */
  readonly architecture?: string
  readonly insecureSkipVerify: boolean
}

/** Volume mounted in the same worker: the file `disk.img`, a device, or a folder for archives. */
export interface CloneSource {
  readonly kind: 'clone'
  readonly path: string
}

/**
 * Task of a worker that fills nothing: it asks which digest a source has at the moment, and gives
 * it in its result.
 */
export interface DigestTask {
  readonly kind: 'digest'
  readonly source: HttpSource | RegistrySource
}

/**
 * Where a worker is that serves a volume: body of `POST /source` of the worker that copies it. Such
 * a worker has the variable IMPORTER_SERVES in place of a task: path of the disk or device.
 */
export interface PeerAddress {
  readonly host: string
  readonly port: number
  /** Name in its certificate. */
  readonly name: string
  /** PEM of the authority that signed the certificate. */
  readonly authority: string
}

/** Disk of a volume that another worker serves. The controller says where, see `PeerAddress`. */
export interface PeerSource {
  readonly kind: 'peer'
  /** Common name of the only client that may say so, since the content depends on it. */
  readonly controller: string
}

/** Where a worker finds its secrets. Each folder is missing if the volume has none. */
export const workerPaths = {
  /** Keys `accessKeyId` and `secretKey` of the Secret of the source. */
  credentials: '/run/importer/credentials',
  /** One folder per Secret with headers; each file holds one header. */
  headers: '/run/importer/headers',
  /** PEM files of authorities that the server of the source is checked against. */
  authorities: '/run/importer/authorities',
  /** `tls.crt` and `tls.key`: certificate of the worker; `ca.crt`: authority of its clients. */
  serving: '/run/importer/serving',
  /**
   * Folder of the pod, such as an emptyDir, for images that must be converted, which the variable
   * IMPORTER_SCRATCH names. Without it they are beside the target. A task with a device should have
   * one, or a restarted worker begins anew.
   */
  scratch: '/run/importer/scratch',
} as const

/** What a worker writes into its termination message, as JSON. */
export interface ImportResult {
  /** Reason in CamelCase: `Completed`, or why it failed. */
  readonly reason: string
  /** One sentence: what failed, what was found, what to do. */
  readonly message: string
  /** Trying again cannot help: the DataVolume becomes Failed. */
  readonly fatal: boolean
  /** Labels that the image asks for, such as `instancetype.kubevirt.io/default-preference`. */
  readonly labels?: Readonly<Record<string, string>>
  /**
   * Of a {@link DigestTask}: `sha256:…` of an image. Of a file: `sha256:…` of its address and the
   * ETag, or else the time and length, that its server gives.
   */
  readonly digest?: string
}

/** Exit codes of a worker. Anything else is a crash, which is tried again. */
export const exitCodes = { completed: 0, failedForNow: 1, failedForGood: 2 } as const

/** Answer to `GET /progress` of a worker, which only clients with a certificate get. */
export interface ImportProgress {
  /** Such as `Connecting`, `Downloading`, `Converting`, `WaitingForUpload`, `WaitingForSource`. */
  readonly stage: string
  /** Zero to 100; missing while the size is unknown. */
  readonly percent?: number
}

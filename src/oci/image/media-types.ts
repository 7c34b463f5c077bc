/** Media types of the OCI image specification, and of attestations. */
export const MEDIA = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
  spdx: 'application/spdx+json',
  inToto: 'application/vnd.in-toto+json',
} as const

/** Reference to a blob by its content. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly artifactType?: string
  readonly platform?: { readonly architecture: string; readonly os: string }
  readonly annotations?: Readonly<Record<string, string>>
}

/** A manifest: an image, or an artifact that refers to one by `subject`. */
export interface ImageManifest {
  readonly schemaVersion: 2
  readonly mediaType: typeof MEDIA.manifest
  readonly artifactType?: string
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
  readonly subject?: Descriptor
  readonly annotations?: Readonly<Record<string, string>>
}

/** `index.json` of a layout, and the list of referrers in a registry. */
export interface ImageIndex {
  readonly schemaVersion: 2
  readonly mediaType: typeof MEDIA.index
  readonly manifests: readonly Descriptor[]
}

/** Configuration of an image. */
export interface ImageConfig {
  readonly created: string
  readonly architecture: string
  readonly os: 'linux'
  readonly config: {
    readonly User?: string
    readonly Env: readonly string[]
    readonly Entrypoint?: readonly string[]
    readonly WorkingDir: string
    readonly Labels: Readonly<Record<string, string>>
  }
  readonly rootfs: { readonly type: 'layers'; readonly diff_ids: readonly string[] }
  readonly history: readonly { readonly created: string; readonly created_by: string }[]
}

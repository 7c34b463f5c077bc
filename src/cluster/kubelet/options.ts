/** Program of an image on this machine. */
export interface ResolvedImage {
  /** Working directory of its containers, unless they name their own. */
  readonly rootDirectory: string
  /** Program and leading arguments, used when the container has no `command`. */
  readonly entrypoint: readonly string[]
  /** Exact version that was resolved, such as a digest. Default: the reference. */
  readonly id?: string
}

/** Finds the program of an image reference. Rejects when there is none. */
export type ImageResolver = (reference: string) => Promise<ResolvedImage>

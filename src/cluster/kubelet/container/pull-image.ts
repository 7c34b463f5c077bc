import type { ImageResolver, ImageUser, ResolvedImage } from '../options.ts'

/** An image cannot be had (now), for a container or for a volume. Worth a retry: it may appear. */
export class ImagePullError extends Error {
  override readonly name = 'ImagePullError'
  readonly reference: string
  constructor(reference: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.reference = reference
  }
}

/** Finds an image, and pulls it if there is a user. @throws ImagePullError */
export async function pullImage(resolve: ImageResolver, reference: string, user?: ImageUser): Promise<ResolvedImage> {
  try {
    return await resolve(reference, user)
  } catch (cause) {
    throw new ImagePullError(reference, cause)
  }
}

/**
 * Metadata as in {@link import('./object-meta.ts').ObjectMeta}, or as read from a cache or the
 * wire.
 */
interface Deletable {
  readonly metadata?: { readonly deletionTimestamp?: string | null } | undefined
}

/** Reports whether deletion was requested. Finalizers or a grace period still hold the object. */
export function isBeingDeleted({ metadata }: Deletable): boolean {
  return metadata?.deletionTimestamp != null
}

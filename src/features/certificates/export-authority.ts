import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Term, Terms } from '#runtime/certificates/rotation.ts'
import { certificateNames } from './names.ts'
import { createServingSource, type ServingSource } from './serving.ts'

/** Share of a lifetime, when the configured time does not fit. */
const renewShare = 0.2

/**
 * Returns the terms of the authority of export servers, and of the certificates that it signs. Who
 * keeps the authority does not see those certificates: an old authority is trusted for as long as
 * they are valid, which is at most half of its own life. Pure.
 */
export function exportAuthorityTerms({ ca, server }: Terms): { readonly ca: Term; readonly server: Term } {
  const renewBeforeMs = Math.min(Math.max(ca.renewBeforeMs, server.durationMs), ca.durationMs / 2)
  const durationMs = Math.min(server.durationMs, renewBeforeMs)
  const isShort = server.renewBeforeMs >= durationMs
  return {
    ca: { durationMs: ca.durationMs, renewBeforeMs },
    server: { durationMs, renewBeforeMs: isShort ? durationMs * renewShare : server.renewBeforeMs },
  }
}

/** Watches the authority of export servers: its certificate with its key, and the bundle. */
export function createExportAuthoritySource(informers: InformerSet, namespace: string): ServingSource {
  const { exportAuthority } = certificateNames
  return createServingSource(informers, namespace, { serving: exportAuthority, authority: exportAuthority })
}

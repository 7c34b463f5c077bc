import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { loadAuthority } from '#runtime/certificates/authority.ts'
import { certificatesOf, knownOf, signerOf } from '#runtime/certificates/bundle.ts'
import type { CertificatesObservation, KeptCertificate, Term, Terms } from '#runtime/certificates/rotation.ts'
import { certificateNames } from './names.ts'
import { goDuration } from './durations.ts'
import type { CertificatePlan } from './plan.ts'

/** A certificate and its key in PEM. */
export interface CertificatePair {
  readonly certificate: string
  readonly key: string
}

/** Reads a Secret; undefined unless it has a certificate and its key. Pure. */
export function pairOf(secret: Secret | undefined): CertificatePair | undefined {
  const [certificate = '', key = ''] = ['tls.crt', 'tls.key'].map((name) => Buffer.from(secret?.data?.[name] ?? '', 'base64').toString())
  try {
    // Throws when key and certificate do not match.
    loadAuthority(certificate, key)
    return { certificate, key }
  } catch {
    return undefined
  }
}

/** Caches that the observation reads. */
export interface CertificateSources {
  readonly secrets: Pick<Lister<Secret>, 'get'>
  readonly configMaps: Pick<Lister<ConfigMap>, 'get'>
  readonly namespace: string
}

/** Stored certificates of an installation. */
export interface Observed {
  readonly authority: Secret | undefined
  readonly bundle: ConfigMap | undefined
  readonly observation: CertificatesObservation
}

/** Reads the certificates of a plan. */
export function observe(
  { secrets, configMaps, namespace }: CertificateSources,
  { terms, wanted, authority: name }: CertificatePlan,
): Observed {
  const authority = secrets.get(namespace, name)
  const bundle = configMaps.get(namespace, name)
  const leaves = wanted.map(({ secret: leaf }) => ({ name: leaf, secret: secrets.get(namespace, leaf) }))
  return { authority, bundle, observation: observationOf(authority, bundle, leaves, terms) }
}

function observationOf(
  authority: Secret | undefined,
  bundle: ConfigMap | undefined,
  leaves: readonly { readonly name: string; readonly secret: Secret | undefined }[],
  terms: Terms,
): CertificatesObservation {
  const known = certificatesOf(bundle?.data?.[certificateNames.bundleKey] ?? '')
  const kept = keptOf(authority, terms.ca)
  const authorities = [...(kept === undefined ? [] : [kept]), ...known]
  return {
    authority: kept,
    bundle: known,
    publishedAt: Date.parse(bundle?.metadata.annotations?.[certificateNames.publishedAt] ?? '') || 0,
    leaves: leaves.map(({ name, secret }) => {
      const leaf = keptOf(secret, terms.server)
      return { name, certificate: leaf && { ...leaf, signer: signerOf(leaf.pem, authorities) } }
    }),
  }
}

function keptOf(secret: Secret | undefined, { durationMs }: Term): KeptCertificate | undefined {
  const known = knownOf(pairOf(secret)?.certificate ?? '')
  return known && { ...known, isOutdated: secret?.metadata.annotations?.[certificateNames.duration] !== goDuration(durationMs) }
}

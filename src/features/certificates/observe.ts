import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { loadAuthority } from '#runtime/certificates/authority.ts'
import { certificatesOf, knownOf, signerOf } from '#runtime/certificates/bundle.ts'
import type { CertificatesObservation, KeptCertificate, Term, Terms } from '#runtime/certificates/rotation.ts'
import { certificateNames } from './names.ts'
import { goDuration, termsOf } from './terms.ts'
import { wantedCertificates, type WantedCertificate } from './wanted.ts'

/** A certificate and its key, PEM. */
export interface CertificatePair {
  readonly certificate: string
  readonly key: string
}

/** What a Secret holds; undefined when that is no certificate with its key. Pure. */
export function pairOf(secret: Secret | undefined): CertificatePair | undefined {
  const [certificate = '', key = ''] = ['tls.crt', 'tls.key'].map((name) => Buffer.from(secret?.data?.[name] ?? '', 'base64').toString())
  try {
    // Of no use when the two do not belong together.
    loadAuthority(certificate, key)
    return { certificate, key }
  } catch {
    return undefined
  }
}

/** Where certificates are kept. */
export interface CertificatesSight {
  readonly secrets: Pick<Lister<Secret>, 'get'>
  readonly configMaps: Pick<Lister<ConfigMap>, 'get'>
  readonly namespace: string
  /** Whether nodes have no certificates of their own to move guests with. */
  readonly hasMigration: boolean
}

/**
 * The certificates of an installation: what is wanted, what is stored, and what is known by that.
 */
export interface Observed {
  readonly terms: Terms
  readonly wanted: readonly WantedCertificate[]
  readonly authority: Secret | undefined
  readonly bundle: ConfigMap | undefined
  readonly observation: CertificatesObservation
}

/** Looks at the certificates that a KubeVirt object asks for. */
export function observe({ secrets, configMaps, namespace, hasMigration }: CertificatesSight, kubevirt: Pick<KubeVirt, 'spec'>): Observed {
  const terms = termsOf(kubevirt, hasMigration)
  const wanted = wantedCertificates(namespace, hasMigration)
  const authority = secrets.get(namespace, certificateNames.authority)
  const bundle = configMaps.get(namespace, certificateNames.authority)
  const leaves = wanted.map(({ secret: name }) => ({ name, secret: secrets.get(namespace, name) }))
  return { terms, wanted, authority, bundle, observation: observationOf(authority, bundle, leaves, terms) }
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

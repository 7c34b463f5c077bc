import { X509Certificate } from 'node:crypto'
import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import { backdateMs, loadAuthority } from '#runtime/certificates/authority.ts'
import type { CertificatesObservation, KeptCertificate, KnownCertificate } from './decide.ts'
import { certificateNames } from './names.ts'

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

/** The certificates of a bundle, each as it is written there. Pure. */
export function certificatesOf(bundle: string): readonly KnownCertificate[] {
  const texts = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? []
  return texts.flatMap((pem) => {
    const known = knownOf(pem)
    return known === undefined ? [] : [known]
  })
}

/** Which of the authorities has signed the certificate. Pure. */
export function signerOf<T extends KnownCertificate>(certificate: string, authorities: readonly T[]): T | undefined {
  const leaf = new X509Certificate(certificate)
  return authorities.find(({ pem }) => {
    const authority = new X509Certificate(pem)
    return leaf.checkIssued(authority) && leaf.verify(authority.publicKey)
  })
}

/** What is known of the certificates, from what is stored. Pure. */
export function observe(
  authority: Secret | undefined,
  bundle: ConfigMap | undefined,
  leaves: readonly { readonly name: string; readonly secret: Secret | undefined }[],
): CertificatesObservation {
  const known = certificatesOf(bundle?.data?.[certificateNames.bundleKey] ?? '')
  const kept = keptOf(authority)
  const authorities = [...(kept === undefined ? [] : [kept]), ...known]
  return {
    authority: kept,
    bundle: known,
    leaves: leaves.map(({ name, secret }) => {
      const leaf = keptOf(secret)
      return { name, certificate: leaf && { ...leaf, signer: signerOf(leaf.pem, authorities) } }
    }),
  }
}

function keptOf(secret: Secret | undefined): KeptCertificate | undefined {
  const known = knownOf(pairOf(secret)?.certificate ?? '')
  return known && { ...known, duration: secret?.metadata.annotations?.[certificateNames.duration] ?? '' }
}

function knownOf(pem: string): KnownCertificate | undefined {
  try {
    const { validFromDate, validToDate } = new X509Certificate(pem)
    return { pem, issuedAt: validFromDate.getTime() + backdateMs, notAfter: validToDate.getTime() }
  } catch {
    return undefined
  }
}

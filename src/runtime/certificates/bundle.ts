import { X509Certificate } from 'node:crypto'
import { backdateMs } from './authority.ts'
import type { KnownCertificate } from './rotation.ts'

/** The certificates of a bundle, each as it is written there. Pure. */
export function certificatesOf(bundle: string): readonly KnownCertificate[] {
  const texts = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? []
  return texts.flatMap((pem) => {
    const known = knownOf(pem)
    return known === undefined ? [] : [known]
  })
}

/** Returns the authority that signed the certificate. Pure. */
export function signerOf<T extends KnownCertificate>(certificate: string, authorities: readonly T[]): T | undefined {
  const leaf = new X509Certificate(certificate)
  return authorities.find(({ pem }) => {
    const authority = new X509Certificate(pem)
    return leaf.checkIssued(authority) && leaf.verify(authority.publicKey)
  })
}

/** The first certificate of a text; undefined when there is none. Pure. */
export function knownOf(pem: string): KnownCertificate | undefined {
  try {
    const { validFromDate, validToDate } = new X509Certificate(pem)
    return { pem, issuedAt: validFromDate.getTime() + backdateMs, notAfter: validToDate.getTime() }
  } catch {
    return undefined
  }
}

import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { PeerCertificate } from './exchange.ts'

/** CAs of clients and of front proxies. */
export interface PeerAuthorities {
  readonly client: readonly X509Certificate[]
  readonly proxy: readonly X509Certificate[]
}

/** Longest chain of certificates that is verified. */
const maxChain = 10

function certificatesOf(pem: string): readonly X509Certificate[] {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return texts.map((text) => new X509Certificate(text))
}

/** Parses PEM. */
export function readAuthorities(clientCa: string, proxyCa: string): PeerAuthorities {
  return { client: certificatesOf(clientCa), proxy: certificatesOf(proxyCa) }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** Returns the client's certificate and the intermediates that it sent, each signed by the next. */
function chainOf(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = []
  let next: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true)
  while (next?.raw !== undefined && chain.length < maxChain) {
    const certificate = new X509Certificate(next.raw)
    const last = chain.at(-1)
    // Node builds the chain by names, which a client can choose.
    if (last !== undefined && !isIssuedBy(last, certificate)) break
    chain.push(certificate)
    if (next.issuerCertificate === next) break
    next = next.issuerCertificate
  }
  return chain
}

/**
 * Determines which CA signed a verified certificate. TLS merges both sets of CAs, so the signature
 * is checked again.
 */
export function trustIn(socket: TLSSocket, authorities: PeerAuthorities | undefined): Pick<PeerCertificate, 'trusted' | 'isProxy'> {
  if (authorities === undefined || !socket.authorized) return { trusted: socket.authorized }
  const chain = chainOf(socket)
  const isSignedBy = (roots: readonly X509Certificate[]): boolean =>
    chain.some((certificate) => roots.some((root) => isIssuedBy(certificate, root)))
  return { trusted: isSignedBy(authorities.client), isProxy: isSignedBy(authorities.proxy) }
}

import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { PeerCertificate } from './exchange.ts'

/** Those that sign for clients, and those that sign for front proxies. */
export interface PeerAuthorities {
  readonly client: readonly X509Certificate[]
  readonly proxy: readonly X509Certificate[]
}

/** Longer chains than this are not looked at. */
const maxChain = 10

function certificatesOf(pem: string): readonly X509Certificate[] {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return texts.map((text) => new X509Certificate(text))
}

/** Reads the authorities, PEM. */
export function readAuthorities(clientCa: string, proxyCa: string): PeerAuthorities {
  return { client: certificatesOf(clientCa), proxy: certificatesOf(proxyCa) }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** The client's certificate and those that it has sent along, each signed by the next. */
function chainOf(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = []
  let next: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true)
  while (next?.raw !== undefined && chain.length < maxChain) {
    const certificate = new X509Certificate(next.raw)
    const last = chain.at(-1)
    // Node puts the chain together by names, which anybody can choose.
    if (last !== undefined && !isIssuedBy(last, certificate)) break
    chain.push(certificate)
    if (next.issuerCertificate === next) break
    next = next.issuerCertificate
  }
  return chain
}

/**
 * What a verified certificate is good for. TLS knows one set of authorities only; whose signature
 * it was must be asked when there are two.
 */
export function trustIn(socket: TLSSocket, authorities: PeerAuthorities | undefined): Pick<PeerCertificate, 'trusted' | 'isProxy'> {
  if (authorities === undefined || !socket.authorized) return { trusted: socket.authorized }
  const chain = chainOf(socket)
  const isSignedBy = (roots: readonly X509Certificate[]): boolean =>
    chain.some((certificate) => roots.some((root) => isIssuedBy(certificate, root)))
  return { trusted: isSignedBy(authorities.client), isProxy: isSignedBy(authorities.proxy) }
}

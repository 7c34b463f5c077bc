import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'
import { bits, childrenOf, identifier, octets, oid, sequence, set, tagged, text, time, unsigned, yes } from './der.ts'

/** A certificate or its key is invalid. */
export class CertificateUnusable extends Error {
  override readonly name = 'CertificateUnusable'
}

/** A certificate and its private key, both PEM. */
export interface Issued {
  readonly certificate: string
  readonly key: string
}

/** A name under which a server is reached. */
export interface ServerName {
  readonly type: 'dns' | 'ip'
  readonly value: string
}

/** Content of a certificate to issue. */
export interface CertificateRequest {
  /** `O=system:masters,CN=kubernetes-admin`: values hold no commas. */
  readonly subject: string
  /** `both`: for peers that call each other. */
  readonly usage: 'client' | 'server' | 'both'
  readonly names?: readonly ServerName[]
  readonly nowMs: number
  readonly lifetimeMs: number
}

/** Usages of a certificate for the public key of a request, in the terms of certificates.k8s.io. */
export type KeyUsage = 'client auth' | 'digital signature' | 'key encipherment' | 'server auth'

/** Certificate for the key of a request. */
export interface CertifiedKey {
  /** Subject and key as encoded in the request. */
  readonly subject: Buffer
  readonly key: Buffer
  /** Value of the extension with alternative names. */
  readonly alternativeNames: Buffer | undefined
  readonly usages: readonly KeyUsage[]
  readonly notBefore: number
  readonly notAfter: number
}

/** A certificate authority that can sign. */
export interface Authority {
  readonly own: Issued
  /** Creates a key and a certificate for it, which expires no later than the authority. */
  issue(request: CertificateRequest): Promise<Issued>
  /**
   * Cross-signs another authority, until this one expires: a client that trusts only this authority
   * accepts certificates of the other one, if the server presents the result. PEM.
   */
  vouchFor(certificate: string, nowMs: number): string
  /** Issues a certificate for the public key of a request, until this authority expires. PEM. */
  certify(wanted: CertifiedKey): string
}

/** Milliseconds before now from which certificates are valid: clocks of clients may be behind. */
export const backdateMs: number = 5 * 60_000
const generateKeys = promisify(generateKeyPair)

/** Creates an authority with a new key. */
export async function createAuthority(request: {
  readonly commonName: string
  readonly nowMs: number
  readonly lifetimeMs: number
}): Promise<Authority> {
  const { publicKey, privateKey } = await generateKeys('ec', { namedCurve: 'P-256' })
  const { nowMs, lifetimeMs } = request
  const subject = nameOf(`CN=${request.commonName}`)
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const certificate = signedBy(privateKey, {
    // Subject and issuer both: by an empty one, curl and others that use OpenSSL refuse every
    // certificate of this authority.
    issuer: subject,
    subject,
    key,
    notBefore: nowMs - backdateMs,
    notAfter: nowMs + lifetimeMs,
    extensions: authorityExtensions(key),
  })
  return loadAuthority(certificate, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
}

/**
 * Loads an existing authority. @throws CertificateUnusable when certificate and key do not match,
 * and errors of node:crypto for invalid PEM
 */
export function loadAuthority(certificatePem: string, keyPem: string): Authority {
  const signingKey = createPrivateKey(keyPem)
  const own = new X509Certificate(certificatePem)
  if (!own.checkPrivateKey(signingKey)) throw new CertificateUnusable('The key is not that of the certificate')
  const issuer = partsOf(own).subject
  const end = own.validToDate.getTime()
  const keyIdentifier = keyIdentifierOf(createPublicKey(signingKey).export({ type: 'spki', format: 'der' }))
  const signature = extension(oid.authorityKeyIdentifier, false, sequence(tagged(0, keyIdentifier, false)))
  return {
    own: { certificate: certificatePem, key: keyPem },
    async issue({ subject, usage, names = [], nowMs, lifetimeMs }) {
      const { publicKey, privateKey } = await generateKeys('ec', { namedCurve: 'P-256' })
      const certificate = signedBy(signingKey, {
        issuer,
        subject: nameOf(subject),
        key: publicKey.export({ type: 'spki', format: 'der' }),
        notBefore: nowMs - backdateMs,
        notAfter: Math.min(nowMs + lifetimeMs, end),
        extensions: [...leafExtensions(usage, names), signature],
      })
      return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
    },
    vouchFor(certificate, nowMs) {
      const other = new X509Certificate(certificate)
      const { subject, key } = partsOf(other)
      const notAfter = Math.min(end, other.validToDate.getTime())
      return signedBy(signingKey, {
        issuer,
        subject,
        key,
        notBefore: nowMs - backdateMs,
        notAfter,
        extensions: [...authorityExtensions(key), signature],
      })
    },
    certify({ subject, key, alternativeNames, usages, notBefore, notAfter }) {
      return signedBy(signingKey, {
        issuer,
        subject,
        key,
        notBefore,
        notAfter: Math.min(notAfter, end),
        extensions: [
          ...usageExtensions(usages),
          ...(alternativeNames === undefined ? [] : [extension(oid.subjectAlternativeName, false, alternativeNames)]),
          signature,
        ],
      })
    },
  }
}

interface Content {
  readonly issuer: Buffer
  readonly subject: Buffer
  /** Public key as SubjectPublicKeyInfo. */
  readonly key: Buffer
  readonly notBefore: number
  readonly notAfter: number
  readonly extensions: readonly Buffer[]
}

function signedBy(signingKey: KeyObject, { issuer, subject, key, notBefore, notAfter, extensions }: Content): string {
  const algorithm = sequence(identifier(oid.ecdsaWithSha256))
  const serial = randomBytes(16)
  // Neither negative nor with a zero in front.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01
  const validity = sequence(time(notBefore), time(notAfter))
  const version3 = tagged(0, unsigned(Buffer.from([2])), true)
  const more = tagged(3, sequence(...extensions), true)
  const content = sequence(version3, unsigned(serial), algorithm, issuer, validity, subject, key, more)
  const der = sequence(content, algorithm, bits(sign('sha256', content, signingKey)))
  return `-----BEGIN CERTIFICATE-----\n${der
    .toString('base64')
    .replaceAll(/(.{64})/g, '$1\n')
    .trim()}\n-----END CERTIFICATE-----\n`
}

function extension(id: string, isCritical: boolean, content: Buffer): Buffer {
  return sequence(identifier(id), ...(isCritical ? [yes] : []), octets(content))
}

function authorityExtensions(key: Buffer): readonly Buffer[] {
  return [
    extension(oid.basicConstraints, true, sequence(yes)),
    // Signatures, certificates and lists of revoked ones.
    extension(oid.keyUsage, true, bits(Buffer.from([0b1000_0110]), 1)),
    extension(oid.subjectKeyIdentifier, false, octets(keyIdentifierOf(key))),
  ]
}

function usageExtensions(usages: readonly KeyUsage[]): readonly Buffer[] {
  const extended = [
    ...(usages.includes('server auth') ? [oid.serverAuth] : []),
    ...(usages.includes('client auth') ? [oid.clientAuth] : []),
  ]
  const [signs, enciphers] = [usages.includes('digital signature'), usages.includes('key encipherment')]
  const keyBits = (signs ? 0b1000_0000 : 0) | (enciphers ? 0b0010_0000 : 0)
  return [
    extension(oid.basicConstraints, true, sequence()),
    // A string of bits ends with its last set one.
    ...(keyBits === 0 ? [] : [extension(oid.keyUsage, true, bits(Buffer.from([keyBits]), enciphers ? 5 : 7))]),
    extension(oid.extendedKeyUsage, false, sequence(...extended.map(identifier))),
  ]
}

function leafExtensions(usage: CertificateRequest['usage'], names: readonly ServerName[]): readonly Buffer[] {
  const used = { client: ['client auth'], server: ['server auth'], both: ['client auth', 'server auth'] } as const
  const found = names.map(({ type, value }) => (type === 'dns' ? tagged(2, Buffer.from(value), false) : tagged(7, addressOf(value), false)))
  return [
    // Key encipherment is unused with these keys, but QEMU 10 refuses certificates without it.
    ...usageExtensions(['digital signature', 'key encipherment', ...used[usage]]),
    ...(found.length === 0 ? [] : [extension(oid.subjectAlternativeName, false, sequence(...found))]),
  ]
}

/** `127.0.0.1` or `::1`, as bytes. */
function addressOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [before = '', after] = address.split('::')
  const groups = (part: string): readonly number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [head, tail] = [groups(before), groups(after ?? '')]
  const all = after === undefined ? head : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

function nameOf(subject: string): Buffer {
  const identifiers: Readonly<Record<string, string>> = { CN: oid.commonName, O: oid.organization }
  const parts = subject.split(',').map((part) => {
    const [key = '', ...value] = part.split('=')
    return set(sequence(identifier(identifiers[key] ?? oid.commonName), text(value.join('='))))
  })
  return sequence(...parts)
}

/** The hash of the key's bits: the last element of its info. */
function keyIdentifierOf(key: Buffer): Buffer {
  const [, keyBits = Buffer.alloc(0)] = childrenOf(key)
  // Without its tag, its length and the number of bits that do not count.
  return createHash('sha1').update(keyBits.subarray(3)).digest()
}

/** Name and key as encoded in a certificate: references must use the same bytes. */
function partsOf(certificate: X509Certificate): { readonly subject: Buffer; readonly key: Buffer } {
  const [content = Buffer.alloc(0)] = childrenOf(certificate.raw)
  // Version, serial number, algorithm, issuer, validity, subject, key.
  const [, , , , , subject, key] = childrenOf(content)
  if (subject === undefined || key === undefined) throw new CertificateUnusable('The certificate has no subject or no key')
  return { subject, key }
}

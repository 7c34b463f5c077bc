import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

/** A certificate and its private key, both PEM. */
export interface Issued {
  readonly certificate: string
  readonly key: string
}

/** A certificate authority that can sign. */
export interface Authority {
  readonly own: Issued
  issue(subject: string, usage: 'client' | 'server', nowMs: number): Promise<Issued>
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const CA_DAYS = 3650
const LEAF_DAYS = 365
/** Clocks of clients may be behind. */
const BACKDATE_MS = 5 * 60_000
/** Names under which components are reached; all of them are this machine. */
const SERVER_NAMES: readonly { type: 'dns' | 'ip'; value: string }[] = [
  { type: 'dns', value: 'localhost' },
  { type: 'dns', value: 'kubernetes' },
  { type: 'dns', value: 'kubernetes.default' },
  { type: 'dns', value: 'kubernetes.default.svc' },
  { type: 'dns', value: 'virt-api.kubevirt.svc' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
]

/** Makes a new authority, valid ten years. */
export async function createAuthority(commonName: string, nowMs: number): Promise<Authority> {
  const keys = await generateKeys()
  const { subject, ...terms } = common(`CN=${commonName}`, nowMs, CA_DAYS)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...terms,
      // Subject and issuer both: by an empty one, curl and others that use OpenSSL refuse every certificate of this authority.
      name: subject,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  )
  return authority(certificate, keys.privateKey, { certificate: `${certificate.toString('pem')}\n`, key: await keyPem(keys.privateKey) })
}

/** Loads an authority made earlier. */
export async function loadAuthority(certificatePem: string, keyPemText: string): Promise<Authority> {
  const der = Buffer.from(keyPemText.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  const key = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign'])
  return authority(new x509.X509Certificate(certificatePem), key, { certificate: certificatePem, key: keyPemText })
}

function authority(certificate: x509.X509Certificate, signingKey: webcrypto.CryptoKey, own: Issued): Authority {
  return {
    own,
    async issue(subject, usage, nowMs) {
      const keys = await generateKeys()
      const leaf = await x509.X509CertificateGenerator.create(
        {
          ...common(subject, nowMs, LEAF_DAYS),
          issuer: certificate.subject,
          publicKey: keys.publicKey,
          signingKey,
          extensions: [
            new x509.BasicConstraintsExtension(false, undefined, true),
            // The second is of no use with these keys, but QEMU 10 does not take certificates without it.
            new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
            new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[usage === 'server' ? 'serverAuth' : 'clientAuth']]),
            ...(usage === 'server' ? [new x509.SubjectAlternativeNameExtension([...SERVER_NAMES])] : []),
            await x509.AuthorityKeyIdentifierExtension.create(certificate, false, webcrypto),
          ],
        },
        webcrypto,
      )
      return { certificate: `${leaf.toString('pem')}\n`, key: await keyPem(keys.privateKey) }
    },
  }
}

function common(
  subject: string,
  nowMs: number,
  days: number,
): { serialNumber: string; subject: string; notBefore: Date; notAfter: Date; signingAlgorithm: typeof ALGORITHM } {
  // The first byte is kept positive: DER integers are signed.
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01
  return {
    serialNumber: serial.toString('hex'),
    subject,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + days * 86_400_000),
    signingAlgorithm: ALGORITHM,
  }
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${der.replaceAll(/(.{64})/g, '$1\n').trim()}\n-----END PRIVATE KEY-----\n`
}

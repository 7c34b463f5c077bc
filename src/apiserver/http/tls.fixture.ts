import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { webcrypto } from 'node:crypto'

/** A certificate and its key, PEM. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

/** A CA for one test. */
export interface TestAuthority {
  readonly cert: string
  /** @param server for a server on this machine, with the given names in addition */
  issue(commonName: string, organizations?: readonly string[], server?: boolean | readonly string[]): Promise<TestCertificate>
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
}

export async function createTestAuthority(name = 'test-ca'): Promise<TestAuthority> {
  x509.cryptoProvider.set(webcrypto as never)
  const period = { notBefore: new Date('2020-01-01'), notAfter: new Date('2120-01-01') }
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name}`,
    ...period,
    keys: keys as never,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  let serial = 1
  return {
    cert: authority.toString('pem'),
    async issue(commonName, organizations = [], server = false) {
      serial += 1
      const own = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
      const usage = server !== false ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial.toString(16).padStart(2, '0'),
        subject: [...organizations.map((organization) => ({ O: [organization] })), { CN: [commonName] }],
        issuer: authority.subject,
        ...period,
        publicKey: own.publicKey as never,
        signingKey: keys.privateKey as never,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.ExtendedKeyUsageExtension([usage]),
          ...(server !== false
            ? [
                new x509.SubjectAlternativeNameExtension([
                  { type: 'ip', value: '127.0.0.1' },
                  { type: 'dns', value: 'localhost' },
                  ...(server === true ? [] : server.map((value) => ({ type: 'dns' as const, value }))),
                ]),
              ]
            : []),
        ],
      })
      return { cert: certificate.toString('pem'), key: await privateKeyPem(own.privateKey) }
    },
  }
}

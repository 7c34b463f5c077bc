import { createPublicKey, verify } from 'node:crypto'
import { CertificateUnusable } from './authority.ts'
import { childrenOf, contentBytes, identifier, oid } from './der.ts'

/** Names in a request, by kind. Addresses are bytes in hexadecimal. */
export interface RequestedNames {
  readonly dns: readonly string[]
  readonly emails: readonly string[]
  readonly uris: readonly string[]
  readonly addresses: readonly string[]
}

/** Content of a PKCS#10 certificate request whose signature is valid. */
export interface SigningRequest {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly names: RequestedNames
  /** Subject as encoded in the request. */
  readonly subject: Buffer
  /** Public key as SubjectPublicKeyInfo. */
  readonly key: Buffer
  /** Value of the extension with the names; undefined without names. */
  readonly alternativeNames: Buffer | undefined
}

/** Digests by signature algorithm. Null: the algorithm includes its digest. */
const digests: ReadonlyMap<string, string | null> = new Map([
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.3.101.112', null],
])
const extensionRequest = '1.2.840.113549.1.9.14'
const block = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END (?:NEW )?CERTIFICATE REQUEST-----/

/**
 * Reads a PEM certificate request and verifies that its sender holds the key. @throws
 * CertificateUnusable
 */
export function readSigningRequest(pem: string): SigningRequest {
  const body = block.exec(pem)?.[1]
  if (body === undefined) throw new CertificateUnusable('PEM block type must be CERTIFICATE REQUEST')
  try {
    return decode(Buffer.from(body, 'base64'))
  } catch (error) {
    if (error instanceof CertificateUnusable) throw error
    throw new CertificateUnusable('The certificate request is malformed', { cause: error })
  }
}

function decode(der: Buffer): SigningRequest {
  const [content, algorithm, signature] = childrenOf(der)
  if (content === undefined || algorithm === undefined || signature === undefined)
    throw new CertificateUnusable('The request is incomplete')
  const [, subject, key, attributes] = childrenOf(content)
  if (subject === undefined || key === undefined) throw new CertificateUnusable('The request has no subject or no key')
  checkSignature(content, algorithm, contentBytes(signature).subarray(1), key)
  const alternativeNames = extensionOf(attributes, oid.subjectAlternativeName)
  return {
    commonName: partsOf(subject, oid.commonName).at(-1) ?? '',
    organizations: partsOf(subject, oid.organization),
    names: namesOf(alternativeNames),
    subject,
    key,
    alternativeNames,
  }
}

function checkSignature(content: Buffer, algorithm: Buffer, signature: Buffer, key: Buffer): void {
  const found = childrenOf(algorithm)[0]
  const known = [...digests].find(([dotted]) => found?.equals(identifier(dotted)) === true)
  if (known === undefined) throw new CertificateUnusable('The signature algorithm of the request is not supported')
  const publicKey = createPublicKey({ key, format: 'der', type: 'spki' })
  if (!verify(known[1], content, publicKey, signature)) throw new CertificateUnusable('The signature of the request is wrong')
}

/** Returns the values of an attribute in a name. */
function partsOf(name: Buffer, dotted: string): string[] {
  const wanted = identifier(dotted)
  return childrenOf(name)
    .flatMap((part) => childrenOf(part))
    .flatMap((pair) => {
      const [type, value] = childrenOf(pair)
      return value !== undefined && type?.equals(wanted) === true ? [contentBytes(value).toString()] : []
    })
}

/** Returns the value of an extension that the attributes of a request ask for. */
function extensionOf(attributes: Buffer | undefined, dotted: string): Buffer | undefined {
  if (attributes === undefined) return undefined
  const [requested, wanted] = [identifier(extensionRequest), identifier(dotted)]
  for (const attribute of childrenOf(attributes)) {
    const [type, values] = childrenOf(attribute)
    if (values === undefined || type?.equals(requested) !== true) continue
    for (const extension of childrenOf(values).flatMap((list) => childrenOf(list))) {
      const parts = childrenOf(extension)
      const value = parts.at(-1)
      if (value !== undefined && parts[0]?.equals(wanted) === true) return contentBytes(value)
    }
  }
  return undefined
}

function namesOf(extension: Buffer | undefined): RequestedNames {
  const all = extension === undefined ? [] : childrenOf(extension)
  // The tags of GeneralName: [1] e-mail address, [2] DNS name, [6] URI, [7] IP address.
  const tagged = (tag: number): Buffer[] => all.filter((name) => ((name[0] ?? 0) & 0x1f) === tag).map(contentBytes)
  const texts = (tag: number): string[] => tagged(tag).map((bytes) => bytes.toString())
  return { emails: texts(1), dns: texts(2), uris: texts(6), addresses: tagged(7).map((bytes) => bytes.toString('hex')) }
}

import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKeyPair, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import type { MachineAuthority } from './certificates.ts'
import { signerGroups, type SignerGroup, type CertificateSpec } from './signers.ts'
import { replaceFile } from '../home/write-file.ts'

/**
 * Files of one identity. Most are one file with certificate and key, so that a reader never
 * combines a certificate with another one's key. Mode 0600.
 */
export interface Identity {
  readonly certificate: string
  readonly key: string
}

/** All identities of a cluster. Each process has its own, with the least rights. */
export interface Pki {
  readonly ca: Identity
  /** Signs the certificates of front proxies, which may set the user of a request. */
  readonly requestHeaderCa: Identity
  /** Client certificate of the API server for aggregated API servers. */
  readonly proxyClient: Identity
  readonly apiserver: Identity
  readonly admin: Identity
  /**
   * Private key that signs service account tokens, 0600. It survives restarts, so that tokens stay
   * valid.
   */
  readonly serviceAccountKey: string
  readonly virtApi: Identity
  readonly virtController: Identity
  readonly virtOperator: Identity
  /** Signs the node certificates of live migration, and no others. */
  readonly migrationCa: Identity
  node(name: string): Identity
  /** Migration certificates of one node, under the file names that QEMU expects. */
  migration(node: string): MigrationIdentity
  virtHandler(node: string): Identity
}

/** Certificates of a node as target (server) and source (client) of migrations. */
export interface MigrationIdentity {
  readonly directory: string
  readonly authority: string
  readonly server: Identity
  readonly client: Identity
}

/** Computes paths below `directory`. Reads and writes nothing. */
export function pkiPaths(directory: string): Pki {
  // The certificate file holds all trusted authorities, newest first; the current authority is in
  // the key file.
  const authority = (name: string): Identity => ({ certificate: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) })
  const pair = (name: string): Identity => ({ certificate: join(directory, `${name}.pem`), key: join(directory, `${name}.pem`) })
  return {
    ca: authority('ca'),
    requestHeaderCa: authority('requestheader-ca'),
    proxyClient: pair('front-proxy-client'),
    apiserver: pair('apiserver'),
    admin: pair('admin'),
    serviceAccountKey: join(directory, 'service-account.key'),
    virtApi: pair('virt-api'),
    virtController: pair('virt-controller'),
    virtOperator: pair('virt-operator'),
    migrationCa: authority('migration-ca'),
    migration: (node) => migrationPaths(join(directory, `migration-${node}`)),
    node: (name) => pair(`kubelet-${name}`),
    virtHandler: (node) => pair(`virt-handler-${node}`),
  }
}

function migrationPaths(directory: string): MigrationIdentity {
  const pair = (name: string): Identity => ({ certificate: join(directory, `${name}-cert.pem`), key: join(directory, `${name}-key.pem`) })
  return { directory, authority: join(directory, 'ca-cert.pem'), server: pair('server'), client: pair('client') }
}

/**
 * Creates the authorities and certificates that are missing or expired. {@link rotatePki} renews
 * the others while the cluster runs. Loads the cryptography only when something must be created.
 */
export async function ensurePki(directory: string, nodes: readonly string[], nowMs: number): Promise<Pki> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const pki = pkiPaths(directory)
  await ensureServiceAccountKey(pki.serviceAccountKey)
  for (const node of nodes) await mkdir(pki.migration(node).directory, { recursive: true, mode: 0o700 })
  for (const group of signerGroups(pki, nodes)) {
    const missing: CertificateSpec[] = []
    for (const wanted of group.certificates) if (!(await isValid(wanted.identity, nowMs, wanted.subject))) missing.push(wanted)
    if (missing.length === 0) continue
    const authority = await ensureAuthority(group, nowMs)
    for (const wanted of missing) await issueCertificate(wanted, authority, nowMs)
  }
  await copyAuthority(pki, nodes)
  return pki
}

/** Copies the migration CA into each node's folder, where QEMU expects it. */
export async function copyAuthority(pki: Pki, nodes: readonly string[]): Promise<void> {
  const wanted = nodes.length === 0 ? '' : await readFile(pki.migrationCa.certificate, 'utf8')
  for (const node of nodes) await replaceFile(pki.migration(node).authority, wanted)
}

/** Signs a certificate and stores it. */
export async function issueCertificate(
  { identity, subject, usage }: CertificateSpec,
  authority: MachineAuthority,
  nowMs: number,
): Promise<void> {
  const { certificate, key } = await authority.issue(subject, usage, nowMs)
  if (identity.certificate === identity.key) return void (await replaceFile(identity.key, certificate + key, 0o600))
  // The key is written first: a certificate without its key would pass for a complete identity.
  await replaceFile(identity.key, key, 0o600)
  await replaceFile(identity.certificate, certificate)
}

/** Reads an authority; undefined when there is none that can sign. */
export async function findAuthority(identity: Identity): Promise<MachineAuthority | undefined> {
  const { readAuthority } = await import('./certificates.ts')
  try {
    const text = await readFile(identity.key, 'utf8')
    return readAuthority(text, text.includes('BEGIN CERTIFICATE') ? text : await readFile(identity.certificate, 'utf8'))
  } catch {
    return undefined
  }
}

async function ensureServiceAccountKey(file: string): Promise<void> {
  try {
    await access(file)
  } catch {
    const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
    await replaceFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, 0o600)
  }
}

async function ensureAuthority({ identity, commonName }: SignerGroup, nowMs: number): Promise<MachineAuthority> {
  const found = (await isValid(identity, nowMs)) ? await findAuthority(identity) : undefined
  if (found !== undefined) return found
  const { renewAuthority } = await import('./certificates.ts')
  const authority = await renewAuthority(commonName, nowMs)
  await replaceFile(identity.key, authority.text, 0o600)
  await replaceFile(identity.certificate, authority.own.certificate)
  return authority
}

/** `subject`: the required one, which may have changed with the release. */
async function isValid(identity: Identity, nowMs: number, subject?: string): Promise<boolean> {
  try {
    const [text] = await Promise.all([readFile(identity.certificate), readFile(identity.key)])
    const certificate = new X509Certificate(text)
    const isOfSubject = subject === undefined || certificate.subject.split('\n').join(',') === subject
    return isOfSubject && certificate.validToDate.getTime() > nowMs
  } catch {
    return false
  }
}

/**
 * Requests that the running API server replaces every authority created before this second, and all
 * certificates that it signed.
 */
export async function requestRenewal(directory: string, nowMs: number): Promise<void> {
  await replaceFile(join(directory, 'renew-before'), `${nowMs}\n`)
}

/** Returns the time of the last request, in milliseconds since the epoch; 0 when there is none. */
export async function renewalRequested(directory: string): Promise<number> {
  return Number(await readFile(join(directory, 'renew-before'), 'utf8').catch(() => '0')) || 0
}

import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKeyPair, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import type { MachineAuthority } from './certificates.ts'
import { signerGroups, type SignerGroup, type CertificateSpec } from './signers.ts'
import { replaceFile } from '../write-file.ts'

/**
 * Files of one identity; of most it is one file with both, so that nobody ever finds a certificate
 * with the key of another one. Keys are 0600.
 */
export interface Identity {
  readonly certificate: string
  readonly key: string
}

/** All identities of a cluster: each process has its own, with no more rights than it needs. */
export interface Pki {
  readonly ca: Identity
  /**
   * Signs the certificates by which proxies may say in whose name they ask; nobody else has one.
   */
  readonly requestHeaderCa: Identity
  /** The API server towards servers behind APIServices. */
  readonly proxyClient: Identity
  readonly apiserver: Identity
  readonly admin: Identity
  /**
   * Private key that signs the tokens of service accounts, 0600. It outlives restarts: tokens stay
   * good.
   */
  readonly serviceAccountKey: string
  readonly virtApi: Identity
  readonly virtController: Identity
  readonly virtOperator: Identity
  /** Signs what nodes show each other when guests move between them; nobody else has one. */
  readonly migrationCa: Identity
  node(name: string): Identity
  /** Of one node towards the others, under the names that QEMU looks for. */
  migration(node: string): MigrationIdentity
  virtHandler(node: string): Identity
}

/** The certificates of a node to which guests come, and from which they go. */
export interface MigrationIdentity {
  readonly directory: string
  readonly authority: string
  readonly server: Identity
  readonly client: Identity
}

/** Paths below `directory`. Touches no disk. */
export function pkiPaths(directory: string): Pki {
  // The certificates are all that are to be believed, newest first; the authority itself is where
  // its key is.
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
 * Makes the certificate authorities and every certificate that is missing or over. What is there
 * stays: it is renewed in time by {@link rotatePki}, while the cluster runs. The cryptography is
 * loaded only when something must be made.
 */
export async function ensurePki(directory: string, nodes: readonly string[], nowMs: number): Promise<Pki> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const pki = pkiPaths(directory)
  await ensureServiceAccountKey(pki.serviceAccountKey)
  for (const node of nodes) await mkdir(pki.migration(node).directory, { recursive: true, mode: 0o700 })
  for (const group of signerGroups(pki, nodes)) {
    const missing: CertificateSpec[] = []
    for (const wanted of group.certificates) if (!(await isValid(wanted.identity, nowMs))) missing.push(wanted)
    if (missing.length === 0) continue
    const authority = await ensureAuthority(group, nowMs)
    for (const wanted of missing) await issueCertificate(wanted, authority, nowMs)
  }
  await copyAuthority(pki, nodes)
  return pki
}

/** QEMU wants it beside the others. */
export async function copyAuthority(pki: Pki, nodes: readonly string[]): Promise<void> {
  const wanted = nodes.length === 0 ? '' : await readFile(pki.migrationCa.certificate, 'utf8')
  for (const node of nodes) await replaceFile(pki.migration(node).authority, wanted)
}

/** Signs a certificate and puts it in its place. */
export async function issueCertificate(
  { identity, subject, usage }: CertificateSpec,
  authority: MachineAuthority,
  nowMs: number,
): Promise<void> {
  const { certificate, key } = await authority.issue(subject, usage, nowMs)
  if (identity.certificate === identity.key) return void (await replaceFile(identity.key, certificate + key, 0o600))
  // The key goes first: a certificate without its key would be taken for a complete identity.
  await replaceFile(identity.key, key, 0o600)
  await replaceFile(identity.certificate, certificate)
}

/** Finds an authority. Undefined: there is none that could sign. */
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

async function isValid(identity: Identity, nowMs: number): Promise<boolean> {
  try {
    const [certificate] = await Promise.all([readFile(identity.certificate), readFile(identity.key)])
    return new X509Certificate(certificate).validToDate.getTime() > nowMs
  } catch {
    return false
  }
}

/**
 * Asks the running API server to replace every authority from before this second, and all that it
 * has signed.
 */
export async function requestRenewal(directory: string, nowMs: number): Promise<void> {
  await replaceFile(join(directory, 'renew-before'), `${nowMs}\n`)
}

/** The moment that was asked for last, in milliseconds since the epoch; 0 when nobody has asked. */
export async function renewalRequested(directory: string): Promise<number> {
  return Number(await readFile(join(directory, 'renew-before'), 'utf8').catch(() => '0')) || 0
}

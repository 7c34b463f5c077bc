import { access, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKeyPair, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import type { Authority, Issued } from './certificates.ts'
import { replaceFile } from './write-file.ts'

/** Files of one identity. The key is 0600. */
export interface Identity {
  readonly certificate: string
  readonly key: string
}

/** All identities of a cluster: each process has its own, with no more rights than it needs. */
export interface Pki {
  readonly ca: Identity
  /** Signs the certificates by which proxies may say in whose name they ask; nobody else has one. */
  readonly requestHeaderCa: Identity
  /** The API server towards servers behind APIServices. */
  readonly proxyClient: Identity
  readonly apiserver: Identity
  readonly admin: Identity
  /** Private key that signs the tokens of service accounts, 0600. It outlives restarts: tokens stay good. */
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
  const pair = (name: string): Identity => ({ certificate: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) })
  return {
    ca: pair('ca'),
    requestHeaderCa: pair('requestheader-ca'),
    proxyClient: pair('front-proxy-client'),
    apiserver: pair('apiserver'),
    admin: pair('admin'),
    serviceAccountKey: join(directory, 'service-account.key'),
    virtApi: pair('virt-api'),
    virtController: pair('virt-controller'),
    virtOperator: pair('virt-operator'),
    migrationCa: pair('migration-ca'),
    migration: (node) => migrationPaths(join(directory, `migration-${node}`)),
    node: (name) => pair(`kubelet-${name}`),
    virtHandler: (node) => pair(`virt-handler-${node}`),
  }
}

function migrationPaths(directory: string): MigrationIdentity {
  const pair = (name: string): Identity => ({ certificate: join(directory, `${name}-cert.pem`), key: join(directory, `${name}-key.pem`) })
  return { directory, authority: join(directory, 'ca-cert.pem'), server: pair('server'), client: pair('client') }
}

/** Days before the end of a certificate at which `up` makes a new one. */
const RENEW_DAYS = 60

interface Wanted {
  readonly identity: Identity
  readonly subject: string
  readonly usage: 'client' | 'server'
  /** Who signs it. Default: the cluster's authority. */
  readonly signer?: Signer
}

interface Signer {
  readonly identity: Identity
  readonly commonName: string
}

/**
 * Makes the certificate authorities and every certificate that is missing or nearly over. What is there stays: clients keep working.
 * The cryptography is loaded only when something must be made.
 */
export async function ensurePki(directory: string, nodes: readonly string[], nowMs: number): Promise<Pki> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const pki = pkiPaths(directory)
  await ensureServiceAccountKey(pki.serviceAccountKey)
  for (const node of nodes) await mkdir(pki.migration(node).directory, { recursive: true, mode: 0o700 })
  const missing: Wanted[] = []
  for (const wanted of wantedCertificates(pki, nodes)) if (!(await isFresh(wanted.identity, nowMs))) missing.push(wanted)
  if (missing.length > 0) await makeCertificates(pki, missing, nowMs)
  for (const node of nodes) await copyAuthority(pki, node)
  return pki
}

async function makeCertificates(pki: Pki, missing: readonly Wanted[], nowMs: number): Promise<void> {
  const cluster: Signer = { identity: pki.ca, commonName: 'steadyvm' }
  const bySigner = Map.groupBy(missing, ({ signer }) => signer ?? cluster)
  for (const [signer, certificates] of bySigner) {
    const authority = await ensureAuthority(signer, nowMs)
    for (const wanted of certificates) await save(wanted.identity, await authority.issue(wanted.subject, wanted.usage, nowMs))
  }
}

/** QEMU wants it beside the others. */
async function copyAuthority(pki: Pki, node: string): Promise<void> {
  const { migrationCa } = pki
  const { authority } = pki.migration(node)
  const [wanted, found] = await Promise.all([readFile(migrationCa.certificate, 'utf8'), readFile(authority, 'utf8').catch(() => '')])
  if (wanted !== found) await replaceFile(authority, wanted)
}

async function ensureServiceAccountKey(file: string): Promise<void> {
  try {
    await access(file)
  } catch {
    const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
    await replaceFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, 0o600)
  }
}

async function ensureAuthority({ identity, commonName }: Signer, nowMs: number): Promise<Authority> {
  const { createAuthority, loadAuthority } = await import('./certificates.ts')
  if (await isFresh(identity, nowMs))
    return loadAuthority(await readFile(identity.certificate, 'utf8'), await readFile(identity.key, 'utf8'))
  const authority = await createAuthority(commonName, nowMs)
  await save(identity, authority.own)
  return authority
}

function wantedCertificates(pki: Pki, nodes: readonly string[]): Wanted[] {
  const requestHeader: Signer = { identity: pki.requestHeaderCa, commonName: 'requestheader-ca' }
  const migration: Signer = { identity: pki.migrationCa, commonName: 'migration-ca' }
  return [
    { identity: pki.apiserver, subject: 'CN=kube-apiserver', usage: 'server' },
    { identity: pki.admin, subject: 'O=system:masters,CN=kubernetes-admin', usage: 'client' },
    { identity: pki.proxyClient, subject: 'CN=front-proxy-client', usage: 'client', signer: requestHeader },
    { identity: pki.virtApi, subject: 'O=system:steadyvm,CN=system:steadyvm:virt-api', usage: 'client' },
    { identity: pki.virtController, subject: 'O=system:steadyvm,CN=system:steadyvm:virt-controller', usage: 'client' },
    { identity: pki.virtOperator, subject: 'O=system:steadyvm,CN=system:steadyvm:virt-operator', usage: 'client' },
    ...nodes.flatMap((node): Wanted[] => [
      { identity: pki.node(node), subject: `O=system:nodes,CN=system:node:${node}`, usage: 'client' },
      {
        identity: pki.virtHandler(node),
        subject: `O=system:steadyvm,O=system:steadyvm:virt-handlers,CN=system:steadyvm:virt-handler:${node}`,
        usage: 'client',
      },
      { identity: pki.migration(node).server, subject: `CN=${node}`, usage: 'server', signer: migration },
      { identity: pki.migration(node).client, subject: `CN=${node}`, usage: 'client', signer: migration },
    ]),
  ]
}

async function save(identity: Identity, issued: Issued): Promise<void> {
  // The key goes first: a certificate without its key would be taken for a complete identity.
  await replaceFile(identity.key, issued.key, 0o600)
  await replaceFile(identity.certificate, issued.certificate)
}

async function isFresh(identity: Identity, nowMs: number): Promise<boolean> {
  try {
    const [certificate] = await Promise.all([readFile(identity.certificate), readFile(identity.key)])
    return new X509Certificate(certificate).validToDate.getTime() - nowMs > RENEW_DAYS * 86_400_000
  } catch {
    return false
  }
}

import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createAuthority,
  loadAuthority,
  type Authority,
  type CertificateRequest,
  type ServerName,
} from '#runtime/certificates/authority.ts'
import { renderKubeconfig } from '#machine/pki/kubeconfig.ts'
import { addressesOf, apiService, controlPlaneAddress } from '../host/network.ts'
import type { Folders } from '../settings.ts'

const dayMs = 86_400_000

/** URL of the API server in the cluster's network. */
export const apiServer = `https://${controlPlaneAddress}:6443`

/** Returns the path of a credential: `ca.crt`, `ca.key`, `kubelet-node-1.kubeconfig` … */
export function credentialPath({ home }: Folders, name: string): string {
  return join(home, 'pki', name)
}

/** Creates the certificates, keys and kubeconfigs of a cluster that do not exist. */
export async function createCredentials(folders: Folders, nodes: readonly string[]): Promise<void> {
  await mkdir(join(folders.home, 'pki'), { recursive: true, mode: 0o700 })
  const ca = await authority(folders, 'ca')
  const frontProxy = await authority(folders, 'front-proxy-ca')
  const dns = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  await issue(folders, ca, 'apiserver', 'CN=kube-apiserver', 'server', namesOf(dns, ['127.0.0.1', controlPlaneAddress, apiService]))
  await issue(folders, frontProxy, 'front-proxy', 'CN=front-proxy-client', 'client')
  await issue(folders, ca, 'apiserver-to-kubelet', 'O=system:masters,CN=kube-apiserver-kubelet-client', 'client')
  const users = {
    admin: 'O=system:masters,CN=kubernetes-admin',
    'controller-manager': 'CN=system:kube-controller-manager',
    scheduler: 'CN=system:kube-scheduler',
    provisioner: 'O=system:masters,CN=system:kube-provisioner',
    proxy: 'CN=system:kube-proxy',
  }
  for (const [name, subject] of Object.entries(users)) {
    await issue(folders, ca, name, subject, 'client')
    await kubeconfig(folders, name)
  }
  for (const [index, node] of nodes.entries()) {
    const names = namesOf([node], ['127.0.0.1', addressesOf(index + 1).node])
    // The API server calls kubelets with TLS, too.
    await issue(folders, ca, `kubelet-${node}`, `O=system:nodes,CN=system:node:${node}`, 'both', names)
    await kubeconfig(folders, `kubelet-${node}`)
  }
  await createTokenKey(folders)
}

async function authority(folders: Folders, name: string): Promise<Authority> {
  const [certificate, key] = [credentialPath(folders, `${name}.crt`), credentialPath(folders, `${name}.key`)]
  if (existsSync(certificate)) return loadAuthority(await readFile(certificate, 'utf8'), await readFile(key, 'utf8'))
  const created = await createAuthority({ commonName: `kubernetes-${name}`, nowMs: Date.now(), lifetimeMs: 3650 * dayMs })
  await writeSecret(key, created.own.key)
  await writeSecret(certificate, created.own.certificate)
  return created
}

async function issue(
  folders: Folders,
  signer: Authority,
  name: string,
  subject: string,
  usage: CertificateRequest['usage'],
  names: readonly ServerName[] = [],
): Promise<void> {
  const file = credentialPath(folders, `${name}.crt`)
  if (existsSync(file)) return
  const { certificate, key } = await signer.issue({ subject, usage, names, nowMs: Date.now(), lifetimeMs: 365 * dayMs })
  await writeSecret(credentialPath(folders, `${name}.key`), key)
  await writeSecret(file, certificate)
}

async function kubeconfig(folders: Folders, user: string): Promise<void> {
  const identity = { certificate: credentialPath(folders, `${user}.crt`), key: credentialPath(folders, `${user}.key`) }
  const subject = { server: apiServer, caFile: credentialPath(folders, 'ca.crt'), user, identity }
  await writeSecret(credentialPath(folders, `${user}.kubeconfig`), await renderKubeconfig(subject, 'yaml'))
}

/** Creates the key by which the API server signs tokens of service accounts. */
async function createTokenKey(folders: Folders): Promise<void> {
  const file = credentialPath(folders, 'service-accounts.key')
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await writeSecret(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }
  const publicKey = createPublicKey(createPrivateKey(await readFile(file, 'utf8')))
  await writeSecret(credentialPath(folders, 'service-accounts.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
}

function namesOf(dns: readonly string[], ips: readonly string[]): ServerName[] {
  return [...dns.map((value) => ({ type: 'dns' as const, value })), ...ips.map((value) => ({ type: 'ip' as const, value }))]
}

async function writeSecret(file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content, { mode: 0o600 })
}

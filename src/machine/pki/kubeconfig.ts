import { readFile } from 'node:fs/promises'
import type { Identity } from './pki.ts'

/** User, server and credentials of a kubeconfig. */
export interface KubeconfigSubject {
  readonly server: string
  readonly caFile: string
  readonly user: string
  readonly identity: Identity
}

/**
 * Renders a kubeconfig. Users get YAML with embedded credentials: write it with mode 0600.
 * Components get JSON, which needs no YAML parser, with file paths, which are read again after a
 * rotation.
 */
export async function renderKubeconfig(subject: KubeconfigSubject, format: 'yaml' | 'json'): Promise<string> {
  const { server, caFile, user, identity } = subject
  if (format === 'yaml') {
    const read = async (file: string, blocks: RegExp): Promise<string> =>
      Buffer.from(((await readFile(file, 'utf8')).match(blocks) ?? []).join('')).toString('base64')
    const embedded = [read(caFile, certificates), read(identity.certificate, certificates), read(identity.key, keys)]
    const [ca = '', certificate = '', key = ''] = await Promise.all(embedded)
    return renderYaml(server, user, ca, certificate, key)
  }
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'steadyvm',
    clusters: [{ name: 'steadyvm', cluster: { server, 'certificate-authority': caFile } }],
    contexts: [{ name: 'steadyvm', context: { cluster: 'steadyvm', user } }],
    users: [{ name: user, user: { 'client-certificate': identity.certificate, 'client-key': identity.key } }],
  })
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g
const keys = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n?/g

function renderYaml(server: string, user: string, ca: string, certificate: string, key: string): string {
  return `apiVersion: v1
kind: Config
current-context: steadyvm
clusters:
- name: steadyvm
  cluster:
    server: ${server}
    certificate-authority-data: ${ca}
contexts:
- name: steadyvm
  context:
    cluster: steadyvm
    user: ${user}
users:
- name: ${user}
  user:
    client-certificate-data: ${certificate}
    client-key-data: ${key}
`
}

import { readFile } from 'node:fs/promises'
import type { Identity } from './pki.ts'

/** Whose kubeconfig, and where to. */
export interface KubeconfigSubject {
  readonly server: string
  readonly caFile: string
  readonly user: string
  readonly identity: Identity
}

/**
 * A kubeconfig with everything embedded, so that the file alone is enough. Holds a private key: write it 0600. People get YAML; programs get
 * JSON, which is read without loading a YAML parser.
 */
export async function renderKubeconfig(subject: KubeconfigSubject, format: 'yaml' | 'json'): Promise<string> {
  const { server, caFile, user, identity } = subject
  const [ca = '', certificate = '', key = ''] = await Promise.all(
    [caFile, identity.certificate, identity.key].map((file) => readFile(file, 'base64')),
  )
  if (format === 'yaml') return renderYaml(server, user, ca, certificate, key)
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'steadyvm',
    clusters: [{ name: 'steadyvm', cluster: { server, 'certificate-authority-data': ca } }],
    contexts: [{ name: 'steadyvm', context: { cluster: 'steadyvm', user } }],
    users: [{ name: user, user: { 'client-certificate-data': certificate, 'client-key-data': key } }],
  })
}

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

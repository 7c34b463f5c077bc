import { readFile } from 'node:fs/promises'
import type { Identity } from './pki.ts'

/** A kubeconfig with everything embedded, so that the file alone is enough. Holds a private key: write it 0600. */
export async function renderKubeconfig(server: string, caFile: string, user: string, identity: Identity): Promise<string> {
  const [ca, certificate, key] = await Promise.all([caFile, identity.certificate, identity.key].map((file) => readFile(file)))
  const encode = (data: Buffer | undefined): string => (data ?? Buffer.alloc(0)).toString('base64')
  return `apiVersion: v1
kind: Config
current-context: steadyvm
clusters:
- name: steadyvm
  cluster:
    server: ${server}
    certificate-authority-data: ${encode(ca)}
contexts:
- name: steadyvm
  context:
    cluster: steadyvm
    user: ${user}
users:
- name: ${user}
  user:
    client-certificate-data: ${encode(certificate)}
    client-key-data: ${encode(key)}
`
}

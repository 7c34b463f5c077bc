import type { Pod } from '#api/core/v1/pod.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import { createAuthority, type Issued } from '#runtime/certificates/authority.ts'

/** Certificate of a worker, and the authority that signed it, in PEM. */
export interface WorkerCertificate {
  readonly authority: string
  readonly own: Issued
}

/**
 * A worker lives as long as its import. One that takes longer is only not asked for its progress.
 */
const lifetimeMs = 30 * 24 * 3_600_000

/**
 * Makes a serving certificate of the worker with this name, by an authority whose key is forgotten
 * at once. Nothing that can sign is in the namespaces of users, and no two workers trust each
 * other.
 */
export async function makeWorkerCertificate(name: string, nowMs: number): Promise<WorkerCertificate> {
  const authority = await createAuthority({ commonName: `worker ${name}`, nowMs, lifetimeMs })
  const own = await authority.issue({
    subject: `CN=${name}`,
    // Workers that copy from another namespace are clients of the worker there.
    usage: 'both',
    names: [{ type: 'dns', value: name }],
    nowMs,
    lifetimeMs,
  })
  return { authority: authority.own.certificate, own }
}

/**
 * Returns the Secret of a worker, which goes with its pod. `clients`: PEM of the authorities of
 * those who may ask it. Pure.
 */
export function workerSecretOf(pod: Pod, secretName: string, { own }: WorkerCertificate, clients: string): Secret {
  const { name = '', namespace = '', uid = '' } = pod.metadata
  const encode = (text: string): string => Buffer.from(text).toString('base64')
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretName, namespace, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }] },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': encode(own.certificate), 'tls.key': encode(own.key), 'ca.crt': encode(clients) },
  }
}

import { agentServerName, apiClientName } from '#features/guest-access/index.ts'
import type { CertificateRequest, ServerName } from '#runtime/certificates/authority.ts'
import { certificateNames, workerClientName } from './names.ts'

/** A certificate to sign, and the Secret that holds it. */
export interface WantedCertificate extends Pick<CertificateRequest, 'subject' | 'usage' | 'names'> {
  readonly secret: string
}

/**
 * Returns all certificates of an installation. `hasMigration`: nodes get migration certificates
 * from Secrets. Pure.
 */
export function wantedCertificates(namespace: string, hasMigration: boolean): readonly WantedCertificate[] {
  const { api, operator, apiClient, workerClient, migrationServer, migrationClient } = certificateNames
  const nodes = agentServerName(namespace)
  return [
    {
      secret: api,
      subject: 'CN=virt-api',
      usage: 'server',
      names: [...namesOfService('virt-api', namespace), ...namesOfService('virt-exportproxy', namespace)],
    },
    { secret: operator, subject: 'CN=virt-operator', usage: 'server', names: namesOfService('virt-operator', namespace) },
    { secret: apiClient, subject: `CN=${apiClientName}`, usage: 'client' },
    { secret: workerClient, subject: `CN=${workerClientName}`, usage: 'client' },
    { secret: migrationServer, subject: `CN=${nodes}`, usage: 'server', names: named(nodes) },
    ...(hasMigration ? [{ secret: migrationClient, subject: `CN=${nodes}`, usage: 'client' } as const] : []),
  ]
}

function namesOfService(name: string, namespace: string): readonly ServerName[] {
  const service = `${name}.${namespace}`
  return named(name, service, `${service}.svc`, `${service}.svc.cluster.local`)
}

function named(...values: readonly string[]): readonly ServerName[] {
  return values.map((value) => ({ type: 'dns', value }))
}

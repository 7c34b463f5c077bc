import type { CertificateRequest, ServerName } from '#runtime/certificates/authority.ts'
import { certificateNames } from './names.ts'

/** A certificate that the authority of an installation signs, and the Secret that it is kept in. */
export interface WantedCertificate extends Pick<CertificateRequest, 'subject' | 'usage' | 'names'> {
  readonly secret: string
}

/**
 * The name that every node has towards those whose guests come to it. They share a certificate:
 * each of them is trusted with every guest. Pure.
 */
export function migrationName(namespace: string): string {
  return `virt-handler.${namespace}`
}

/**
 * All certificates of an installation. `hasMigration`: nodes have none of their own for moving
 * guests. Pure.
 */
export function wantedCertificates(namespace: string, hasMigration: boolean): readonly WantedCertificate[] {
  const { api, migrationServer, migrationClient } = certificateNames
  const service = `virt-api.${namespace}`
  const own = named('virt-api', service, `${service}.svc`, `${service}.svc.cluster.local`)
  const nodes = migrationName(namespace)
  return [
    { secret: api, subject: 'CN=virt-api', usage: 'server', names: own },
    ...(hasMigration
      ? ([
          { secret: migrationServer, subject: `CN=${nodes}`, usage: 'server', names: named(nodes) },
          { secret: migrationClient, subject: `CN=${nodes}`, usage: 'client' },
        ] as const)
      : []),
  ]
}

function named(...values: readonly string[]): readonly ServerName[] {
  return values.map((value) => ({ type: 'dns', value }))
}

import {
  createAuthority,
  loadAuthority,
  type Authority,
  type CertifiedKey,
  type Issued,
  type ServerName,
} from '#runtime/certificates/authority.ts'
import { certificatesOf } from '#runtime/certificates/bundle.ts'
import type { Terms } from '#runtime/certificates/rotation.ts'

export type { Issued } from '#runtime/certificates/authority.ts'

/**
 * A certificate authority and the cross-certificates that its predecessors issued for it: clients
 * that trust one of them trust this one.
 */
export interface MachineAuthority {
  readonly own: Issued
  /** Certificate, key and cross-certificates in one file, so that all are replaced atomically. */
  readonly text: string
  issue(subject: string, usage: 'client' | 'server', nowMs: number): Promise<Issued>
  /** Issues a certificate for the public key of a request. PEM. */
  certify(wanted: CertifiedKey): string
}

const DAY_MS = 86_400_000
/** Authorities are valid for ten years, certificates for one. */
export const MACHINE_VALIDITY: Terms = {
  ca: { durationMs: 3650 * DAY_MS, renewBeforeMs: 365 * DAY_MS },
  server: { durationMs: 365 * DAY_MS, renewBeforeMs: 60 * DAY_MS },
  settleMs: 5_000,
}
/** Subject alternative names of server certificates; all of them resolve to this machine. */
const SERVER_NAMES: readonly ServerName[] = [
  { type: 'dns', value: 'localhost' },
  { type: 'dns', value: 'kubernetes' },
  { type: 'dns', value: 'kubernetes.default' },
  { type: 'dns', value: 'kubernetes.default.svc' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
]
/** Maximum number of cross-certificates: one per previous authority. */
const MOST_VOUCHERS = 4

/** Creates an authority. The previous one, if any, cross-signs it. */
export async function renewAuthority(commonName: string, nowMs: number, before?: MachineAuthority): Promise<MachineAuthority> {
  const made = await createAuthority({ commonName, nowMs, lifetimeMs: MACHINE_VALIDITY.ca.durationMs })
  if (before === undefined) return withVouchers(made, [])
  const { certificate, key } = before.own
  const vouched = loadAuthority(certificate, key).vouchFor(made.own.certificate, nowMs)
  return withVouchers(made, [vouched, ...vouchersOf(before.text)].slice(0, MOST_VOUCHERS))
}

/**
 * Reads a stored authority. Earlier releases stored key and certificate in two files. @throws
 * CertificateUnusable
 */
export function readAuthority(text: string, certificate: string = text): MachineAuthority {
  const own = certificatesOf(certificate)[0]?.pem ?? ''
  const key = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n?/.exec(text)?.[0] ?? ''
  return withVouchers(loadAuthority(own, key), vouchersOf(text))
}

function vouchersOf(text: string): readonly string[] {
  return certificatesOf(text)
    .slice(1)
    .map(({ pem }) => pem)
}

function withVouchers(authority: Authority, vouchers: readonly string[]): MachineAuthority {
  const { certificate, key } = authority.own
  const lifetimeMs = MACHINE_VALIDITY.server.durationMs
  return {
    own: authority.own,
    text: [certificate, key, ...vouchers].join(''),
    certify: (wanted) => authority.certify(wanted),
    async issue(subject, usage, nowMs) {
      const names = usage === 'server' ? SERVER_NAMES : []
      const issued = await authority.issue({ subject, usage, names, nowMs, lifetimeMs })
      // Lets clients that trust an older authority build a chain to this one.
      return usage === 'server' ? { ...issued, certificate: issued.certificate + vouchers.join('') } : issued
    },
  }
}

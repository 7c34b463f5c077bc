import { createAuthority, loadAuthority, type Authority, type Issued, type ServerName } from '#runtime/certificates/authority.ts'
import { certificatesOf } from '#runtime/certificates/bundle.ts'
import type { Terms } from '#runtime/certificates/rotation.ts'

export type { Issued } from '#runtime/certificates/authority.ts'

/** An authority, with what older ones say of it: who trusts one of them trusts it, too. */
export interface MachineAuthority {
  readonly own: Issued
  /**
   * One text, so that it is replaced at once: certificate, key, and the certificates by which older
   * authorities vouch for it and for each other.
   */
  readonly text: string
  issue(subject: string, usage: 'client' | 'server', nowMs: number): Promise<Issued>
}

const DAY_MS = 86_400_000
/** Authorities last ten years, what they sign one. */
export const MACHINE_VALIDITY: Terms = {
  ca: { durationMs: 3650 * DAY_MS, renewBeforeMs: 365 * DAY_MS },
  server: { durationMs: 365 * DAY_MS, renewBeforeMs: 60 * DAY_MS },
  settleMs: 5_000,
}
/** Names under which components are reached; all of them are this machine. */
const SERVER_NAMES: readonly ServerName[] = [
  { type: 'dns', value: 'localhost' },
  { type: 'dns', value: 'kubernetes' },
  { type: 'dns', value: 'kubernetes.default' },
  { type: 'dns', value: 'kubernetes.default.svc' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
]
/** Vouchers that are kept: one for each authority before this one. */
const MOST_VOUCHERS = 4

/** Makes a new authority; the one before it, if there is one, vouches for it. */
export async function renewAuthority(commonName: string, nowMs: number, before?: MachineAuthority): Promise<MachineAuthority> {
  const made = await createAuthority({ commonName, nowMs, lifetimeMs: MACHINE_VALIDITY.ca.durationMs })
  if (before === undefined) return withVouchers(made, [])
  const { certificate, key } = before.own
  const vouched = loadAuthority(certificate, key).vouchFor(made.own.certificate, nowMs)
  return withVouchers(made, [vouched, ...vouchersOf(before.text)].slice(0, MOST_VOUCHERS))
}

/**
 * Reads an authority made earlier; an older form has key and certificate in two texts. @throws
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
    async issue(subject, usage, nowMs) {
      const names = usage === 'server' ? SERVER_NAMES : []
      const issued = await authority.issue({ subject, usage, names, nowMs, lifetimeMs })
      // Clients that know an older authority find their way from it to this one.
      return usage === 'server' ? { ...issued, certificate: issued.certificate + vouchers.join('') } : issued
    },
  }
}

import {
  createAuthority as makeAuthority,
  loadAuthority as readAuthority,
  type Authority as Signer,
  type Issued,
  type ServerName,
} from '#runtime/certificates/authority.ts'

export type { Issued } from '#runtime/certificates/authority.ts'

/** A certificate authority that can sign. */
export interface Authority {
  readonly own: Issued
  issue(subject: string, usage: 'client' | 'server', nowMs: number): Promise<Issued>
  /** PEM by which who trusts this authority trusts the other one, too. */
  vouchFor(certificate: string, nowMs: number): string
}

const DAY_MS = 86_400_000
const CA_DAYS = 3650
const LEAF_DAYS = 365
/** Names under which components are reached; all of them are this machine. */
const SERVER_NAMES: readonly ServerName[] = [
  { type: 'dns', value: 'localhost' },
  { type: 'dns', value: 'kubernetes' },
  { type: 'dns', value: 'kubernetes.default' },
  { type: 'dns', value: 'kubernetes.default.svc' },
  { type: 'dns', value: 'virt-api.kubevirt.svc' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
]

/** Makes a new authority, valid ten years. */
export async function createAuthority(commonName: string, nowMs: number): Promise<Authority> {
  return lasting(await makeAuthority({ commonName, nowMs, lifetimeMs: CA_DAYS * DAY_MS }))
}

/** Loads an authority made earlier. */
export function loadAuthority(certificatePem: string, keyPem: string): Authority {
  return lasting(readAuthority(certificatePem, keyPem))
}

function lasting(signer: Signer): Authority {
  const lifetimeMs = LEAF_DAYS * DAY_MS
  return {
    own: signer.own,
    issue: (subject, usage, nowMs) => signer.issue({ subject, usage, names: usage === 'server' ? SERVER_NAMES : [], nowMs, lifetimeMs }),
    vouchFor: (certificate, nowMs) => signer.vouchFor(certificate, nowMs),
  }
}

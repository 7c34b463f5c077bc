import { createAuthority, type Issued } from '#runtime/certificates/authority.ts'
import { systemClock } from '#runtime/clock/clock.ts'

/** An authority with a server on this machine and a client. */
export interface TestCertificates {
  /** PEM. */
  readonly authority: string
  readonly server: Issued
  readonly client: Issued
}

/** Issues certificates for an hour. `address`: of the server. */
export async function issueTestCertificates(address: string = '127.0.0.1'): Promise<TestCertificates> {
  const terms = { nowMs: systemClock.now(), lifetimeMs: 3_600_000 }
  const authority = await createAuthority({ commonName: 'importer-test', ...terms })
  const [server, client] = await Promise.all([
    authority.issue({ subject: 'CN=server', usage: 'server', names: [{ type: 'ip', value: address }], ...terms }),
    authority.issue({ subject: 'CN=client', usage: 'client', ...terms }),
  ])
  return { authority: authority.own.certificate, server, client }
}

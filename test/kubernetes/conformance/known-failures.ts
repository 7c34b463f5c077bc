/** A spec that fails against machine mode, by a part of its name, and why. */
interface KnownFailure {
  readonly spec: string
  readonly reason: string
}

/** Specs that fail. docs/compatibility.md has the reasons for users. */
export const knownFailures: readonly KnownFailure[] = [
  { spec: 'ServiceAccountIssuerDiscovery should support OIDC discovery', reason: 'there is no cluster DNS' },
  { spec: 'Guestbook application should create and stop a working application', reason: 'there is no cluster DNS' },
]

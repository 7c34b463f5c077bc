/** A spec that fails against machine mode, by a part of its name, and why. */
interface KnownFailure {
  readonly spec: string
  readonly reason: string
}

/** Specs that fail. docs/compatibility.md has the reasons for users. */
export const knownFailures: readonly KnownFailure[] = [
  {
    spec: 'ServiceAccountIssuerDiscovery should support OIDC discovery',
    reason: 'the issuer is a name of the cluster DNS, which machine mode does not have',
  },
  {
    spec: 'Guestbook application should create and stop a working application',
    reason: 'its servers find each other by the cluster DNS',
  },
  {
    spec: 'watch and report errors with accept "application/vnd.kubernetes.protobuf"',
    reason: 'no answer is in protobuf, also where nothing else is accepted',
  },
  {
    spec: 'should set ownership and permission when RunAsUser or FsGroup is present',
    reason: 'files of pods belong to the group of the namespace: users of pods are mapped to a range of the machine',
  },
  {
    spec: 'health handlers should contain necessary checks',
    reason: 'there is no repair of service addresses, and no check of it',
  },
  {
    spec: 'namespace deletion should delete pod first',
    reason: 'all content of a namespace is deleted at once: guests must be shut down before their pods go',
  },
]

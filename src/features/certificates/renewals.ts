import { renewalsOf, type Renewal } from '#runtime/certificates/rotation.ts'
import { certificateNames } from './names.ts'
import { observe } from './observe.ts'
import type { CertificatesPorts } from './reconciler.ts'
import { termsOf } from './terms.ts'
import { wantedCertificates } from './wanted.ts'

/** When the certificates of an installation are next to be renewed, by their Secrets. None while nobody keeps them: nothing is installed, or it is being removed. */
export function currentRenewals({
  kubevirt,
  secrets,
  configMaps,
  namespace,
  hasMigration,
}: Pick<CertificatesPorts, 'kubevirt' | 'secrets' | 'configMaps' | 'namespace' | 'hasMigration'>): readonly Renewal[] {
  const found = kubevirt()
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return []
  const terms = termsOf(found, hasMigration)
  const { authority } = certificateNames
  const leaves = wantedCertificates(namespace, hasMigration).map(({ secret: name }) => ({ name, secret: secrets.get(namespace, name) }))
  return renewalsOf(authority, observe(secrets.get(namespace, authority), configMaps.get(namespace, authority), leaves, terms), terms)
}

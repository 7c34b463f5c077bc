import { renewalsOf, type Renewal } from '#runtime/certificates/rotation.ts'
import { certificateNames } from './names.ts'
import { observe } from './observe.ts'
import type { CertificatesPorts } from './reconciler.ts'
import { readTerms } from './terms.ts'

/** When the certificates of an installation are next to be renewed, by their Secrets. None while nobody keeps them: nothing is installed, or it is being removed. */
export function currentRenewals({
  kubevirt,
  secrets,
  configMaps,
  namespace,
}: Pick<CertificatesPorts, 'kubevirt' | 'secrets' | 'configMaps' | 'namespace'>): readonly Renewal[] {
  const found = kubevirt()
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return []
  const { terms } = readTerms(found)
  const { authority, api } = certificateNames
  const leaves = [{ name: api, secret: secrets.get(namespace, api) }]
  return renewalsOf(authority, observe(secrets.get(namespace, authority), configMaps.get(namespace, authority), leaves, terms), terms)
}

import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { Instancetype, Preference } from '../types.ts'
import { encodeRevisionData } from './codec.ts'
import { ownedBy, type Holder } from './holder.ts'
import { identityLabels } from './labels.ts'
import { ownName, sharedName } from './revision-name.ts'
import { sharingLabels, type RevisionFormat } from './storage-format.ts'

/**
 * Returns the revision that stores an object for a holder. An owned one is garbage-collected with
 * its holder; a shared one is collected when it has no references.
 */
export function wantedRevision(holder: Holder, object: Instancetype | Preference, format: RevisionFormat): ControllerRevision {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: format.sharing === 'shared' ? sharedName(object, format.version) : ownName(holder.name, object, format.version),
      namespace: holder.namespace,
      labels: { ...publisherLabels(object), ...identityLabels(object, format.version), ...sharingLabels(format) },
      ...(format.sharing === 'shared' ? {} : { ownerReferences: [ownedBy(holder)] }),
    },
    data: encodeRevisionData(object, format.version),
    revision: 0,
  }
}

/** Returns the labels of publisher and bundle, which the data do not contain. */
function publisherLabels({ metadata }: Instancetype | Preference): Record<string, string> {
  const keys = ['instancetype.kubevirt.io/vendor', 'instancetype.kubevirt.io/common-instancetypes-version']
  return Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => keys.includes(key)))
}

import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { Instancetype, Preference } from '../types.ts'
import { encodeRevisionData } from './codec.ts'
import { ownedBy, type Holder } from './holder.ts'
import { identityLabels } from './labels.ts'
import { ownName, sharedName } from './revision-name.ts'
import { sharingLabels, type RevisionFormat } from './storage-format.ts'

/**
 * The revision that is to pin an instance type or preference for a holder. With an owner it dies
 * with it; a shared one is collected when nobody names it.
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

/**
 * Who has published an object and in which bundle, so that it can still be told of the copy when
 * the object has long changed.
 */
function publisherLabels({ metadata }: Instancetype | Preference): Record<string, string> {
  const keys = ['instancetype.kubevirt.io/vendor', 'instancetype.kubevirt.io/common-instancetypes-version']
  return Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => keys.includes(key)))
}

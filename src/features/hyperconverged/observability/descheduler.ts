import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { CachedKind } from '../components/rendering/components.ts'
import { valueAt } from '../value-at.ts'

/** The descheduler of OpenShift. It is read, and configured by others. */
export const deschedulerKind: CachedKind = {
  name: 'descheduler',
  group: 'operator.openshift.io',
  versions: ['v1'],
  kind: 'KubeDescheduler',
  plural: 'kubedeschedulers',
  objectName: 'cluster',
  onlyIn: 'openshift-kube-descheduler-operator',
}

/** Profiles under which guests are migrated, and not evicted like other pods. */
const guestProfiles = ['KubeVirtRelieveAndMigrate', 'DevKubeVirtRelieveAndMigrate', 'LongLifecycle']

/** True for a descheduler without a profile for guests. Pure. */
export function isMisconfigured(descheduler: KubeObject): boolean {
  const profiles = valueAt(descheduler, ['spec', 'profiles'])
  return !Array.isArray(profiles) || !guestProfiles.some((profile) => profiles.includes(profile))
}

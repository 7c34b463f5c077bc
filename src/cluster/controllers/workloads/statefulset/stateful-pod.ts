import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { statefulSets } from '#api/apps/v1/resources.ts'
import type { StatefulSet } from '#api/apps/v1/stateful-set.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { revisionHashLabel } from '../history/revision-label.ts'
import { templateIn } from '../history/revisions.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { claimName } from './claims.ts'
import { podName } from './ordinals.ts'

/** Label by which a Service can select one pod. */
const podNameLabel = 'statefulset.kubernetes.io/pod-name'
const podIndexLabel = 'apps.kubernetes.io/pod-index'

/** The pod with an ordinal, of the template in a revision, with its own name and claims. Pure. */
export function statefulPod(statefulSet: StatefulSet, revision: ControllerRevision, ordinal: number): Pod {
  const template = templateIn(revision) ?? statefulSet.spec.template
  const { metadata, spec, ...pod } = podFromTemplate(statefulSets, statefulSet, template)
  const { generateName: _prefix, ...named } = metadata
  const name = podName(statefulSet, ordinal)
  const { serviceName = '', volumeClaimTemplates = [] } = statefulSet.spec
  const own = volumeClaimTemplates.map((claim) => ({
    name: claim.metadata.name ?? '',
    persistentVolumeClaim: { claimName: claimName(statefulSet, claim, ordinal) },
  }))
  const others = (spec.volumes ?? []).filter((volume) => own.every((one) => one.name !== volume.name))
  const labels = {
    ...metadata.labels,
    [podNameLabel]: name,
    [podIndexLabel]: String(ordinal),
    [revisionHashLabel]: revision.metadata.name ?? '',
  }
  return {
    ...pod,
    metadata: { ...named, name, labels },
    spec: {
      ...spec,
      hostname: name,
      ...(serviceName === '' ? {} : { subdomain: serviceName }),
      ...(own.length + others.length === 0 ? {} : { volumes: [...own, ...others] }),
    },
  }
}

/** Name of the revision that a pod was made of. */
export function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[revisionHashLabel] ?? ''
}

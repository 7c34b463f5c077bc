import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import { controllerRevisions, daemonSets } from '#api/apps/v1/resources.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { controllerReference } from '../ownership/controller-reference.ts'
import { templateHash } from '../pods/template-hash.ts'
import { revisionHashLabel } from './names.ts'

/** Writes that bring the history of a DaemonSet up to date. */
export interface RevisionPlan {
  /** The revision of the current template; a new one if it does not exist yet. */
  readonly current: ControllerRevision
  readonly isNew: boolean
  /** New number of the current revision, when the DaemonSet was rolled back to it. */
  readonly renumberTo: number | undefined
  readonly remove: readonly ControllerRevision[]
}

/**
 * Plans the history: the current template has the highest number, and of old ones that no pod has
 * only the newest stay. Pure.
 */
export function planRevisions(
  daemonSet: DaemonSet,
  revisions: readonly ControllerRevision[],
  liveHashes: ReadonlySet<string>,
): RevisionPlan {
  const data = templatePatch(daemonSet)
  const found = revisions.filter((one) => semanticEqual(one.data, data)).toSorted((a, b) => b.revision - a.revision)
  const [same] = found
  const old = revisions.filter((one) => one !== same).toSorted((a, b) => a.revision - b.revision)
  const next = (old.at(-1)?.revision ?? 0) + 1
  const current = same ?? newRevision(daemonSet, next)
  const unused = old.filter((one) => !liveHashes.has(hashOf(one)))
  const surplus = Math.max(0, unused.length - (daemonSet.spec.revisionHistoryLimit ?? 10))
  return {
    current,
    isNew: same === undefined,
    renumberTo: current.revision < next ? next : undefined,
    remove: unused.slice(0, surplus),
  }
}

/** The hash that pods of a revision are labelled with. */
export function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[revisionHashLabel] ?? ''
}

/** Reports whether a revision holds the DaemonSet's template. */
export function holdsTemplate(revision: ControllerRevision, daemonSet: DaemonSet): boolean {
  return semanticEqual(revision.data, templatePatch(daemonSet))
}

/** A strategic merge patch that puts this template back: what `kubectl rollout undo` applies. */
function templatePatch({ spec }: DaemonSet): Record<string, unknown> {
  return { spec: { template: { ...spec.template, $patch: 'replace' } } }
}

function newRevision(daemonSet: DaemonSet, revision: number): ControllerRevision {
  const { metadata, spec, status } = daemonSet
  const hash = templateHash(spec.template, status?.collisionCount ?? 0)
  return {
    apiVersion: apiVersionOf(controllerRevisions),
    kind: controllerRevisions.kind,
    metadata: {
      namespace: metadata.namespace ?? '',
      name: `${metadata.name ?? ''}-${hash}`,
      labels: { ...spec.template.metadata?.labels, [revisionHashLabel]: hash },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(daemonSets, daemonSet)],
    },
    data: templatePatch(daemonSet),
    revision,
  }
}

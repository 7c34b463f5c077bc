import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Container } from '#api/core/v1/container.ts'
import type { PodTemplateSpec } from '#api/core/v1/pod.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { apiVersionOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { templateHash } from '../pods/template-hash.ts'
import { revisionHashLabel } from './revision-label.ts'

/** A workload whose templates are kept in ControllerRevisions: a DaemonSet or a StatefulSet. */
export interface Revised extends ApiObject {
  spec: { readonly template: PodTemplateSpec; readonly revisionHistoryLimit?: number }
  status?: { readonly collisionCount?: number }
}

/** Writes that bring the history of a workload up to date. */
export interface RevisionPlan {
  /** The revision of the current template; a new one if it does not exist yet. */
  readonly current: ControllerRevision
  readonly isNew: boolean
  /** New number of the current revision, when the workload was rolled back to it. */
  readonly renumberTo: number | undefined
  readonly remove: readonly ControllerRevision[]
}

/**
 * Plans the history: the current template has the highest number, and of old ones that no pod has
 * only the newest stay. Pure.
 */
export function planRevisions<O extends Revised>(
  resource: ResourceType<O>,
  owner: O,
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
): RevisionPlan {
  const found = revisions.filter((one) => holdsTemplate(one, owner)).toSorted((a, b) => b.revision - a.revision)
  const [same] = found
  const old = revisions.filter((one) => one !== same).toSorted((a, b) => a.revision - b.revision)
  const next = (old.at(-1)?.revision ?? 0) + 1
  const current = same ?? newRevision(resource, owner, next)
  const unused = old.filter((one) => !isLive(one))
  const surplus = Math.max(0, unused.length - (owner.spec.revisionHistoryLimit ?? 10))
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

/** The template that a revision holds; undefined when it holds none. */
export function templateIn({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const { template } = (data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } } | undefined)?.spec ?? {}
  if (template === undefined) return undefined
  const { $patch: _directive, ...plain } = template
  return plain
}

/** Reports whether a revision holds the template of a workload. */
export function holdsTemplate(revision: ControllerRevision, owner: Revised): boolean {
  const held = templateIn(revision)
  return held !== undefined && semanticEqual(asGoWrites(held), asGoWrites(owner.spec.template))
}

/** A strategic merge patch that puts this template back: what `kubectl rollout undo` applies. */
function templatePatch({ spec }: Revised): Record<string, unknown> {
  return { spec: { template: { $patch: 'replace', ...asGoWrites(spec.template) } } }
}

/**
 * A template with the fields that Kubernetes writes also when they are empty, and sorted: clients
 * compare it byte by byte with one that they have encoded themselves.
 */
function asGoWrites({ metadata, spec }: PodTemplateSpec): Record<string, unknown> {
  const withResources = (container: Container): Container => ({ resources: {}, ...container })
  return sorted({
    metadata: { creationTimestamp: null, ...metadata },
    spec: {
      ...spec,
      containers: spec.containers.map(withResources),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withResources) }),
    },
  }) as Record<string, unknown>
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]))
}

function newRevision<O extends Revised>(resource: ResourceType<O>, owner: O, revision: number): ControllerRevision {
  const { metadata, spec, status } = owner
  const hash = templateHash(spec.template, status?.collisionCount ?? 0)
  return {
    apiVersion: apiVersionOf(controllerRevisions),
    kind: controllerRevisions.kind,
    metadata: {
      namespace: metadata.namespace ?? '',
      name: `${metadata.name ?? ''}-${hash}`,
      labels: { ...spec.template.metadata?.labels, [revisionHashLabel]: hash },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(resource, owner)],
    },
    data: templatePatch(owner),
    revision,
  }
}

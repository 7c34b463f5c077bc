import { isManaged, managedLabels } from '#api/access/managed.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { bundlesOf, withBundle, type Registration } from '#features/certificates/index.ts'

/**
 * Where an upgrade is: servers of the wanted version are not let in yet, are let in, or are the
 * only ones.
 */
export type ServingPhase = 'before' | 'during' | 'after'

/** What is known of registrations. */
export interface RegistrationsObservation {
  /** All that there are in the cluster. */
  readonly present: readonly Registration[]
  /** What versions register; those that cannot be read are missing. */
  readonly known: ReadonlyMap<string, readonly Registration[]>
  readonly wanted: string
  readonly phase: ServingPhase
  /** Versions that may be serving, when no registration tells it. */
  readonly fallback: readonly string[]
  /** PEM bundle by which servers are believed, as base64; undefined: there is none yet. */
  readonly bundle: string | undefined
}

/** Says on each registration which versions answer all that it names: those that may be serving. */
export const servedByAnnotation = 'steadyvm.io/answered-by'
/** Nobody answers what it asks, so that nothing of its kinds comes into being. */
export const creationGuardName = 'virt-operator-new-kinds'

/** Registrations to write as they are here, and to take away. */
export interface RegistrationChanges {
  readonly write: readonly Registration[]
  readonly remove: readonly Registration[]
}

/**
 * Decides what is registered: what all versions answer that may be serving. So a webhook that is
 * new comes when the last old server is gone, and one that is dropped goes before the first new
 * server comes; all others are asked without a break. Which versions those are stands on the
 * registrations themselves. What others have changed is mended. Pure.
 */
export function decideRegistrations(observed: RegistrationsObservation): RegistrationChanges {
  const { present, bundle, phase, wanted } = observed
  const serving = servingVersions(observed)
  const target = targetOf(observed, serving)
  if (bundle === undefined || target === undefined) return { write: [], remove: [] }
  const byKey = new Map(present.map((one) => [keyOf(one), one]))
  const stamp = phase === 'after' ? wanted : serving.join(',')
  const write = target.flatMap((one) => {
    const there = byKey.get(keyOf(one))
    const next = completed(one, there, stamp, bundle)
    return there !== undefined && isSame(there, next) ? [] : [next]
  })
  const kept = new Set(target.map(keyOf))
  const isGarbage = (one: Registration): boolean =>
    isManaged(one.metadata.labels) && !kept.has(keyOf(one)) && one.metadata.name !== creationGuardName
  return { write, remove: present.filter(isGarbage) }
}

/** Versions that may be serving, the oldest first. */
function servingVersions({ present, wanted, phase, fallback }: RegistrationsObservation): readonly string[] {
  if (phase === 'after') return [wanted]
  const told = present.flatMap(({ metadata }) => metadata.annotations?.[servedByAnnotation]?.split(',') ?? [])
  const before = told.length === 0 ? fallback : told
  return [...new Set(phase === 'during' ? [...before, wanted] : before)]
}

/** Undefined: nobody knows. */
function targetOf(
  { present, known, wanted, phase }: RegistrationsObservation,
  serving: readonly string[],
): readonly Registration[] | undefined {
  const all = serving.map((version) => known.get(version))
  const readable = all.filter((one) => one !== undefined)
  const [first, ...others] = readable
  if (first !== undefined && readable.length === all.length) return others.reduce(common, first)
  // What is there was right for those that cannot be asked any more.
  const ours = known.get(wanted)
  return phase === 'during' && ours !== undefined
    ? common(
        present.filter(({ metadata }) => isManaged(metadata.labels)),
        ours,
      )
    : undefined
}

/** What both answer, as the first one words it. */
function common(some: readonly Registration[], others: readonly Registration[]): readonly Registration[] {
  return some.flatMap((one): readonly Registration[] => {
    const other = others.find((each) => keyOf(each) === keyOf(one))
    if (other === undefined) return []
    if (!('webhooks' in one) || !('webhooks' in other)) return [one]
    const names = new Set(other.webhooks?.map(({ name }) => name))
    return [{ ...one, webhooks: (one.webhooks ?? []).filter(({ name }) => names.has(name)) }]
  })
}

function keyOf({ kind, metadata }: Registration): string {
  return `${kind}/${metadata.name}`
}

/**
 * With the bundle that is there already: who renews certificates replaces it, at the right moment.
 */
function completed(wanted: Registration, present: Registration | undefined, stamp: string, otherwise: string): Registration {
  const { labels, annotations, resourceVersion, uid } = present?.metadata ?? {}
  const metadata = {
    ...wanted.metadata,
    labels: { ...labels, ...wanted.metadata.labels, ...managedLabels },
    annotations: { ...annotations, [servedByAnnotation]: stamp },
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(uid === undefined ? {} : { uid }),
  }
  const caBundle = (present === undefined ? undefined : bundlesOf(present)[0]) || otherwise
  return { ...withBundle(wanted, caBundle), metadata } as Registration
}

function isSame(present: Registration, next: Registration): boolean {
  const part = (one: Registration): unknown => {
    const plain = withBundle(one, '')
    return [
      'webhooks' in plain ? plain.webhooks : (plain as APIService).spec,
      one.metadata.annotations?.[servedByAnnotation],
      isManaged(one.metadata.labels),
    ]
  }
  return semanticEqual(part(present), part(next))
}

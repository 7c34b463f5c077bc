import { isManaged, managedLabels } from '#api/access/managed.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { cdiGroup } from '#features/foreign-cdi/index.ts'
import { bundlesOf, withBundle, type Registration } from '#features/certificates/index.ts'

/**
 * Phase of an upgrade of virt-api: servers of the wanted version are not started yet, run beside
 * older ones, or are the only ones.
 */
export type ServingPhase = 'before' | 'during' | 'after'

/** Registrations of the cluster and of the versions that may be serving. */
export interface RegistrationsObservation {
  /** All registrations in the cluster. */
  readonly present: readonly Registration[]
  /** Registrations by version, without versions that cannot be read. */
  readonly known: ReadonlyMap<string, readonly Registration[]>
  readonly wanted: string
  readonly phase: ServingPhase
  /** Versions that may be serving when no registration is annotated with them. */
  readonly fallback: readonly string[]
  /** PEM bundle of the serving CAs as base64; undefined until there is one. */
  readonly bundle: string | undefined
}

/** Annotation of a registration: versions that answer all of it, which are those that may serve. */
export const servedByAnnotation = 'steadyvm.io/answered-by'
/** Name of the webhook configuration that rejects new objects of guarded CRDs. */
export const creationGuardName = 'virt-operator-new-kinds'

/** Registrations to write and to delete. */
export interface RegistrationChanges {
  readonly write: readonly Registration[]
  readonly remove: readonly Registration[]
}

/**
 * Decides what is registered: what every version that may be serving answers. A new webhook is
 * registered when the last old server is gone, a removed one is deleted before the first new server
 * starts, and all others are called without interruption. Annotations of the registrations name the
 * serving versions. Edits by others are reverted. Pure.
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
    // CDI serves its own API.
    if (there?.kind === 'APIService' && !isManaged(there.metadata.labels) && one.metadata.name?.endsWith(`.${cdiGroup}`) === true) return []
    const next = completed(one, there, stamp, bundle)
    return there !== undefined && isSame(there, next) ? [] : [next]
  })
  const kept = new Set(target.map(keyOf))
  const isGarbage = (one: Registration): boolean =>
    isManaged(one.metadata.labels) && !kept.has(keyOf(one)) && one.metadata.name !== creationGuardName
  return { write, remove: present.filter(isGarbage) }
}

/** Returns versions that may be serving, oldest first. */
function servingVersions({ present, wanted, phase, fallback }: RegistrationsObservation): readonly string[] {
  if (phase === 'after') return [wanted]
  const told = present.flatMap(({ metadata }) => metadata.annotations?.[servedByAnnotation]?.split(',') ?? [])
  const before = told.length === 0 ? fallback : told
  return [...new Set(phase === 'during' ? [...before, wanted] : before)]
}

/** Returns undefined when no version is known. */
function targetOf(
  { present, known, wanted, phase }: RegistrationsObservation,
  serving: readonly string[],
): readonly Registration[] | undefined {
  const all = serving.map((version) => known.get(version))
  const readable = all.filter((one) => one !== undefined)
  const [first, ...others] = readable
  if (first !== undefined && readable.length === all.length) return others.reduce(common, first)
  // Existing registrations were correct for versions whose contents cannot be read any more.
  const ours = known.get(wanted)
  return phase === 'during' && ours !== undefined
    ? common(
        present.filter(({ metadata }) => isManaged(metadata.labels)),
        ours,
      )
    : undefined
}

/** Returns what both answer, in the wording of the first. */
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
 * Keeps the CA bundle that is present: the certificates controller replaces it at the right time.
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

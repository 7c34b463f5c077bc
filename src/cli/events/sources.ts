import { selfSubjectAccessReviews } from '#api/authorization/v1/resources.ts'
import type { CoreEvent } from '#api/core/v1/event.ts'
import { events } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts, virtualMachineInstanceMigrations, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { isForbidden, isNotFound } from '#apimachinery/errors.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client, ListOptions } from '#client/client.ts'
import { CommandError } from '../context.ts'
import { changesBetween, lastChangesOf, occurrenceOf, type Conditioned, type Occurrence } from './occurrence.ts'

/** Kinds whose conditions and events are shown. */
export const conditioned = [
  virtualMachines,
  virtualMachineInstances,
  virtualMachineInstanceMigrations,
  kubeVirts,
  hyperConvergeds,
] as readonly ResourceType<Conditioned>[]

/** Which of the kinds this user may list, and which not. */
export interface Access {
  readonly readable: readonly ResourceType<Conditioned>[]
  readonly forbidden: readonly string[]
}

/** Asks which kinds may be listed. Kinds that are not installed are neither. @throws StatusError */
export async function readAccess(client: Pick<Client, 'list'>, scope: Scope): Promise<Access> {
  const answers = await Promise.all(
    conditioned.map(async (resource) => {
      try {
        await client.list(resource, { ...scope, limit: 1 })
        return { resource, answer: 'readable' as const }
      } catch (error) {
        if (isForbidden(error)) return { resource, answer: 'forbidden' as const }
        if (isNotFound(error)) return { resource, answer: 'absent' as const }
        throw error
      }
    }),
  )
  return {
    readable: answers.flatMap(({ resource, answer }) => (answer === 'readable' ? [resource] : [])),
    forbidden: answers.flatMap(({ resource, answer }) => (answer === 'forbidden' ? [resource.plural] : [])),
  }
}

/**
 * Narrows what may be listed to what may be watched as well: an informer of the rest would repeat
 * its refused request for ever, without a word. @throws CommandError if events may not be watched
 */
export async function narrowToWatchable(client: Pick<Client, 'create'>, { readable, forbidden }: Access, scope: Scope): Promise<Access> {
  const mayWatch = async ({ group, plural }: Pick<ResourceType<Conditioned>, 'group' | 'plural'>): Promise<boolean> => {
    const { namespace, signal } = scope
    const resourceAttributes = { group, resource: plural, verb: 'watch', ...(namespace === undefined ? {} : { namespace }) }
    const review = { metadata: {}, spec: { resourceAttributes } }
    const { status } = await client.create(selfSubjectAccessReviews, review, signal === undefined ? {} : { signal })
    return status?.allowed === true
  }
  const [mayWatchEvents, ...may] = await Promise.all([events, ...readable].map(mayWatch))
  if (mayWatchEvents !== true)
    throw new CommandError('You may not watch events: that takes the right "watch" on "events"; without --watch, events are listed')
  const unwatchable = readable.filter((_, index) => may[index] !== true).map(({ plural }) => plural)
  return { readable: readable.filter((_, index) => may[index] === true), forbidden: [...forbidden, ...unwatchable] }
}

/** Namespace and signal of lists. */
export type Scope = Pick<ListOptions, 'namespace' | 'signal'>

/** What is stored: objects by kind, and events. */
export interface Stored {
  readonly objects: ReadonlyMap<string, readonly Conditioned[]>
  readonly events: readonly CoreEvent[]
}

/** Reads what is stored. @throws StatusError if events may not be listed */
export async function readStored(client: Pick<Client, 'list'>, { readable }: Access, scope: Scope): Promise<Stored> {
  const [told, ...lists] = await Promise.all([
    client.list(events, scope),
    ...readable.map(async (resource) => [resource.kind, (await client.list(resource, scope)).items] as const),
  ])
  return { objects: new Map(lists), events: told.items }
}

/** Returns all that has occurred, oldest first. Pure. */
export function historyOf({ objects, events: told }: Stored): Occurrence[] {
  const changes = [...objects].flatMap(([kind, list]) => list.flatMap((object) => lastChangesOf(kind, object)))
  return inOrder([...told.filter(isShown).map(occurrenceOf), ...changes])
}

/** Returns occurrences in the order of their times. Pure. */
export function inOrder(all: readonly Occurrence[]): Occurrence[] {
  return all.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time))
}

/** Reports whether an event is about one of the kinds. Pure. */
export function isShown({ involvedObject: { kind, apiVersion = '' } }: CoreEvent): boolean {
  return conditioned.some((resource) => resource.kind === kind && (apiVersion === '' || apiVersion.startsWith(`${resource.group}/`)))
}

/** Returns the VMI of a stored migration. Pure. */
export function vmiFinder({ objects }: Pick<Stored, 'objects'>): (namespace: string, migration: string) => string | undefined {
  const migrations = (objects.get(virtualMachineInstanceMigrations.kind) ?? []) as readonly VirtualMachineInstanceMigration[]
  const found = new Map(migrations.map(({ metadata, spec }) => [`${metadata.namespace}/${metadata.name}`, spec.vmiName]))
  return (namespace, migration) => found.get(`${namespace}/${migration}`)
}

/** Returns what a change of an object tells. `old`: absent for a new one. Pure. */
export function changesOf(kind: string, old: Conditioned | undefined, object: Conditioned, now: string): Occurrence[] {
  return old === undefined ? changesBetween(kind, {} as Conditioned, object, now) : changesBetween(kind, old, object, now)
}

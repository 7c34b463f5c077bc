import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import { decide, type Entry, type Step } from './decide.ts'

/** State of the catalogue; undefined without an installation. */
export type Deployment = 'enabled' | 'disabled' | undefined

/** Dependencies of the reconciler of one kind. */
export interface Ports<T extends Entry> {
  readonly client: Pick<Client, 'create' | 'patch' | 'delete'>
  readonly resource: ResourceType<T>
  readonly entries: Lister<T>
  /** The catalogue's objects of this kind, by name. */
  readonly catalogue: ReadonlyMap<string, T>
  readonly deployment: () => Deployment
  /** Milliseconds since the epoch before which nothing is written: components start first. */
  readonly notBefore: number
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
}

/**
 * Maintains one kind of the catalogue: creates missing objects, reverts edits, and removes objects
 * that it no longer has.
 */
export function createCatalogueReconciler<T extends Entry>(ports: Ports<T>): Reconciler {
  return async ({ name }, { signal }) => {
    const deployment = ports.deployment()
    if (deployment === undefined) return done
    const early = ports.notBefore - ports.clock.now()
    if (early > 0) return recheckIn(early)
    const present = ports.entries.get('', name)
    const wanted = deployment === 'enabled' ? ports.catalogue.get(name) : undefined
    const step = decide(present, wanted)
    await act(ports, { present, wanted, step }, signal)
    if (step.kind === 'restore' && step.edited && present !== undefined) {
      ports.recorder.event(present, 'Warning', 'Restored', `${name} belongs to the system and is as it was. Change a copy of another name`)
    }
    return done
  }
}

interface Move<T> {
  readonly present: T | undefined
  readonly wanted: T | undefined
  readonly step: Step
}

async function act<T extends Entry>(ports: Ports<T>, { present, wanted, step }: Move<T>, signal: AbortSignal): Promise<void> {
  const { client, resource } = ports
  const { name = '', uid = '', resourceVersion = '' } = present?.metadata ?? {}
  switch (step.kind) {
    case 'none':
      return
    case 'create':
      // A concurrent creation, or a cache behind our own write: the pending event leads here again.
      return ignoring(isAlreadyExists, client.create(resource, wanted as T, { signal }))
    case 'restore':
      return ignoring(isNotFound, patchIfUnchanged(client, resource, present ?? {}, step.patch, { signal }))
    case 'remove':
      // With the resourceVersion: a user may have just removed the label to keep the object.
      return ignoring(isNotFound, client.delete(resource, { name }, { preconditions: { uid, resourceVersion }, signal }))
  }
}

async function ignoring(expected: (error: unknown) => boolean, request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!expected(error)) throw error
  }
}

import { badRequest, conflict, methodNotAllowed, notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { runMutating, runValidating } from '#apiserver/admission/run.ts'
import { type Entry, RevisionMismatch } from '#apiserver/storage/object-store.ts'
import type { DeleteQuery, DeleteResult, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { commit } from './commit.ts'
import { type DeletionStep, deletionStep } from './deletion-step.ts'
import { DerivedEntry } from '../derived-entry.ts'
import type { Environment } from '../environment.ts'
import { awaitDurable } from './await-durable.ts'

const tries = 16

/**
 * Deletes an object: removes it, or sets its deletionTimestamp while finalizers or a grace period
 * remain.
 */
export async function deleteObject(
  environment: Environment,
  target: Target,
  query: DeleteQuery,
  context: RequestContext,
): Promise<DeleteResult> {
  const { definition, namespace = '', name } = target
  if (target.subresource !== '') throw methodNotAllowed(definition, 'delete')
  checkGrace(query)
  for (let attempt = 1; ; attempt++) {
    const stored = environment.store.getPending(definition.storageKey, namespace, name)
    if (stored === undefined) throw notFound(definition, name)
    const converting = environment.views.prepare(definition, [stored])
    if (converting !== undefined) await converting
    const old = environment.views.of(definition, stored)
    checkPreconditions(target, old.object, query)
    const request = { operation: 'DELETE', target, object: undefined, old: old.object, dryRun: query.dryRun, context } as const
    await runMutating(environment.admission, request)
    await runValidating(environment.admission, request)
    const step = deletionStep(definition, old.object, query, environment.now())
    try {
      return await take(environment, target, stored.revision, old, step, query.dryRun)
    } catch (error) {
      if (!(error instanceof RevisionMismatch)) throw error
      if (attempt === tries) throw conflict(definition, name)
    }
  }
}

async function take(
  environment: Environment,
  target: Target,
  expected: number,
  old: Entry,
  step: DeletionStep,
  dryRun: boolean,
): Promise<DeleteResult> {
  switch (step.kind) {
    case 'wait':
      return { kind: 'pending', entry: await awaitDurable(environment, target, old) }
    case 'mark':
      return {
        kind: 'pending',
        entry: dryRun ? new DerivedEntry(step.object, old.revision) : await commit(environment, target, expected, step.object),
      }
    case 'remove':
      return { kind: 'deleted', entry: dryRun ? old : await commit(environment, target, expected, undefined) }
  }
}

/** Seconds; a larger grace period does not fit into a deletionTimestamp. */
const longestGrace = 2 ** 31 - 1

/** @throws StatusError 400 for a grace period that is not an integer in range */
function checkGrace({ gracePeriodSeconds: seconds }: DeleteQuery): void {
  if (seconds === undefined || (Number.isInteger(seconds) && seconds <= longestGrace)) return
  throw badRequest(`gracePeriodSeconds must be a whole number of seconds, at most ${longestGrace}, not ${JSON.stringify(seconds)}`)
}

function checkPreconditions({ definition, name }: Target, old: KubeObject, { preconditions }: DeleteQuery): void {
  const { uid = '', resourceVersion = '' } = old.metadata ?? {}
  const { uid: wantedUid, resourceVersion: wantedVersion } = preconditions ?? {}
  if (wantedUid !== undefined && wantedUid !== uid) {
    const why = `the UID in the precondition (${wantedUid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
    throw conflict(definition, name, why)
  }
  if (wantedVersion !== undefined && wantedVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${wantedVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`
    throw conflict(definition, name, why)
  }
}

import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { forbidden, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'
import { hyperConvergedKey } from '../../names.ts'
import { observeManaged, type ManagedObject } from './observe.ts'

/** Milliseconds for all components together: less than the time-out of the webhook. */
const timeoutMs = 8_000

/**
 * Decides about the deletion of HyperConverged: the deletion of each object that goes with it is
 * sent with `dryRun=All`, and the components' own webhooks decide, such as KubeVirt's while there
 * are guests. A deletion cannot be taken back, so a component that cannot be asked refuses it, too.
 */
export async function admitDeletion(
  client: Pick<Client, 'get' | 'list' | 'delete'>,
  { oldObject, name }: Pick<AdmissionRequest, 'oldObject' | 'name'>,
): Promise<AdmissionAnswer> {
  if (isBeingDeleted(oldObject ?? {})) return { allowed: true }
  const signal = AbortSignal.timeout(timeoutMs)
  const managed = await observeManaged(client, hyperConvergedKey.namespace, signal)
  const refusals = (await Promise.all(managed.map((one) => refusalOf(client, one, signal)))).filter((one) => one !== undefined)
  if (refusals.length === 0) return { allowed: true }
  return { allowed: false, error: forbidden(hyperConvergeds, name ?? hyperConvergedKey.name, refusals.join('; ')) }
}

async function refusalOf(
  client: Pick<Client, 'delete'>,
  { component, resource, object }: ManagedObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isBeingDeleted(object)) return undefined
  try {
    await client.delete(resource, keyOf(object), { dryRun: true, signal })
    return undefined
  } catch (error) {
    // Gone or replaced meanwhile: the teardown reads again.
    if (isNotFound(error) || isConflict(error)) return undefined
    const why = signal.aborted ? `it did not answer within ${timeoutMs / 1_000} s` : error instanceof Error ? error.message : String(error)
    return `${component.name} refuses the deletion of its ${component.kind} "${object.metadata?.name ?? ''}": ${why}`
  }
}

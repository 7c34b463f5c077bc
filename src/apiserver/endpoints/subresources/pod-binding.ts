import { setCondition } from '#apimachinery/conditions.ts'
import { badRequest, conflict, type FieldError, invalid, notFound, type StatusError } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/meta/name-rules.ts'
import { validateAnnotations } from '#apimachinery/meta/object-meta-rules.ts'
import { runMutating, runValidating } from '#apiserver/admission/run.ts'
import { type Entry, RevisionMismatch } from '#apiserver/storage/object-store.ts'
import type { DecodedBody, MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { commit } from '../write/commit.ts'
import { DerivedEntry } from '../derived-entry.ts'
import type { Environment } from '../environment.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { decodeMetadata, MetadataTypeError } from '#apiserver/codec/metadata.ts'

interface Binding extends KubeObject {
  target?: { apiVersion?: string; kind?: string; name?: string }
}

interface Pod extends KubeObject {
  spec?: { nodeName?: string; schedulingGates?: readonly unknown[] }
  status?: { conditions?: Condition[] }
}

const tries = 8

/**
 * Sets a pod's node and its PodScheduled condition in one write. @throws StatusError 409 when the
 * pod already has a node
 */
export async function bindPod(
  environment: Environment,
  target: Target,
  body: DecodedBody,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const binding = decoded(body.object)
  const node = nodeOf(target, binding)
  const request = { operation: 'CREATE', target, object: binding, old: undefined, dryRun: options.dryRun, context } as const
  await runMutating(environment.admission, request)
  await runValidating(environment.admission, request)
  for (let attempt = 1; ; attempt++) {
    const bound = bind(environment, target, binding, node)
    if (options.dryRun) return success()
    try {
      await commit(environment, target, bound.revision, bound.object)
      return success()
    } catch (error) {
      if (!(error instanceof RevisionMismatch)) throw error
      if (attempt === tries) throw conflict(target.definition, target.name)
    }
  }
}

/**
 * Validates the metadata of a binding, which is merged into the pod without passing the pod's
 * strategy. @throws StatusError 400, 422
 */
function decoded(binding: Binding): Binding {
  try {
    const { metadata } = decodeMetadata(binding.metadata)
    const faults = validateAnnotations(metadata.annotations, 'metadata.annotations')
    if (faults.length > 0) throw invalid({ group: '', kind: 'Binding' }, metadata.name ?? '', faults)
    return { ...binding, metadata }
  } catch (error) {
    throw error instanceof MetadataTypeError ? badRequest(error.message) : error
  }
}

function nodeOf({ name }: Target, { metadata, target }: Binding): string {
  if (metadata?.name !== undefined && metadata.name !== '' && metadata.name !== name) {
    throw badRequest(`name in URL does not match name in Binding object`)
  }
  if (target?.kind !== undefined && target.kind !== '' && target.kind !== 'Node') {
    const message = `Unsupported value: "${target.kind}": supported values: "Node", "<empty>"`
    throw invalid({ group: '', kind: 'Binding' }, name, [{ reason: 'FieldValueNotSupported', field: 'target.kind', message }])
  }
  const node: unknown = target?.name ?? ''
  const refuse = (fault: FieldError): StatusError => invalid({ group: '', kind: 'Binding' }, name, [fault])
  if (node === '') throw refuse({ reason: 'FieldValueRequired', field: 'target.name', message: 'Required value' })
  // The kubelet's address is derived from the node name.
  const [why] = typeof node === 'string' ? validateName(node, 'dns-subdomain') : ['must be a string']
  if (why !== undefined || typeof node !== 'string') throw refuse(invalidValue('target.name', node, why ?? ''))
  return node
}

function bind(
  environment: Environment,
  { definition, namespace = '', name }: Target,
  binding: Binding,
  node: string,
): { object: KubeObject; revision: number } {
  const entry = environment.store.getPending(definition.storageKey, namespace, name)
  if (entry === undefined) throw notFound(definition, name)
  const pod: Pod = entry.object
  const uid = binding.metadata?.uid
  if (uid !== undefined && uid !== pod.metadata?.uid) {
    throw conflict(definition, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata?.uid ?? ''}`)
  }
  if (isBeingDeleted(pod)) throw conflict(definition, name, `pod ${name} is being deleted, cannot be assigned to a host`)
  const present = pod.spec?.nodeName
  if (present !== undefined && present !== '') {
    throw conflict(definition, name, `pod ${name} is already assigned to node ${JSON.stringify(present)}`)
  }
  if ((pod.spec?.schedulingGates ?? []).length > 0) throw conflict(definition, name, `pod ${name} has non-empty .spec.schedulingGates`)
  const scheduled: Condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null }
  const object: Pod = {
    ...pod,
    metadata: { ...pod.metadata, ...mergedAnnotations(pod, binding) },
    spec: { ...pod.spec, nodeName: node },
    status: { ...pod.status, conditions: setCondition(pod.status?.conditions, scheduled, rfc3339(environment.now())) },
  }
  return { object, revision: entry.revision }
}

function mergedAnnotations(pod: Pod, binding: Binding): { annotations?: Record<string, string> } {
  const added = binding.metadata?.annotations
  return added === undefined ? {} : { annotations: { ...pod.metadata?.annotations, ...added } }
}

/** Status answer of a POST to a subresource without an object of its own. */
export function success(): Entry {
  const status: KubeObject & { status: string; code: number } = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    code: 201,
  }
  return new DerivedEntry(status, 0)
}

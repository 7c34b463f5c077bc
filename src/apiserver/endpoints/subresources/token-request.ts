import { schemas } from '#api/authentication/v1/schema.generated.ts'
import { badRequest, conflict, invalid, methodNotAllowed, notFound, type FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { runMutating, runValidating } from '#apiserver/admission/run.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ObjectIdentity, TokenSubject } from '#apiserver/service-accounts/claims.ts'
import { subjectKeys } from '#apiserver/service-accounts/bound-object.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { DecodedBody, MutationOptions, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { decode } from '#apiserver/codec/decode.ts'
import { DerivedEntry } from '../derived-entry.ts'
import type { Environment } from '../environment.ts'
import { rfc3339 } from '#apiserver/codec/rfc3339.ts'
import { withoutStatus } from '../write/status.ts'

interface BoundObjectReference {
  readonly kind?: string
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

interface TokenRequest extends KubeObject {
  readonly spec?: {
    readonly audiences?: readonly string[] | null
    readonly expirationSeconds?: number | null
    readonly boundObjectRef?: BoundObjectReference | null
  }
}

/** Kind of request bodies. It is no resource of its own. */
const tokenRequests = defineResource({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  namespaced: true,
  schema: schemas['TokenRequest'] ?? {},
})
const defaultSeconds = 3600
const minSeconds = 600
const maxSeconds = 2 ** 32

/**
 * Issues a token of a service account (`POST serviceaccounts/<name>/token`) without storing it.
 * @throws StatusError 400, 404, 409, 422
 */
export async function requestToken(
  environment: Environment,
  target: Target,
  body: DecodedBody,
  options: MutationOptions,
  context: RequestContext,
): Promise<Entry> {
  const { accountTokens: tokens, store, now } = environment
  const { definition, namespace = '', name } = target
  if (tokens === undefined) throw methodNotAllowed(definition, 'create')
  // An empty body requests the defaults.
  const sent: TokenRequest = { spec: {}, ...withoutStatus(decode(tokenRequests, body, options, context)) }
  const misshapen = validateStructural(sent, tokenRequests.schema, { integerFormats: true })
  if (misshapen.length > 0) throw invalid(tokenRequests, '', misshapen)
  checkPlace(target, sent)
  const account = store.get(definition.storageKey, namespace, name)?.object
  if (account === undefined) throw notFound(definition, name)
  const audiences = sent.spec?.audiences ?? []
  const completed: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { ...sent.metadata, name, namespace, creationTimestamp: rfc3339(now()) },
    spec: {
      ...sent.spec,
      audiences: audiences.length === 0 ? tokens.audiences : audiences,
      expirationSeconds: sent.spec?.expirationSeconds ?? defaultSeconds,
      boundObjectRef: sent.spec?.boundObjectRef ?? null,
    },
  }
  const request = { operation: 'CREATE', target, object: completed, old: undefined, dryRun: options.dryRun, context } as const
  const admitted: TokenRequest = (await runMutating(environment.admission, request)) ?? completed
  const faults = faultsOf(admitted)
  if (faults.length > 0) throw invalid(tokenRequests, '', faults)
  await runValidating(environment.admission, { ...request, object: admitted })

  const { spec } = admitted
  const seconds = spec?.expirationSeconds ?? defaultSeconds
  const subject = subjectOf(environment, target, { name, uid: account.metadata?.uid ?? '' }, spec?.boundObjectRef ?? undefined)
  // Read before the token is issued: the reported expiry must not be later than that of the token.
  const expirationTimestamp = rfc3339(now() + seconds * 1000)
  const answered: TokenRequest & { status: object } = {
    ...admitted,
    status: { token: options.dryRun ? '' : tokens.issue(subject, spec?.audiences ?? [], seconds), expirationTimestamp },
  }
  return new DerivedEntry(answered, 0)
}

function checkPlace({ name, namespace }: Target, { metadata }: TokenRequest): void {
  const check = (field: 'name' | 'namespace', wanted: string | undefined): void => {
    const value = metadata?.[field]
    if (value === undefined || value === '' || value === wanted) return
    const fault = invalidValue(`metadata.${field}`, value, `must match the service account ${field} if specified`)
    throw invalid(tokenRequests, name, [fault])
  }
  check('name', name)
  check('namespace', namespace)
}

function faultsOf({ spec }: TokenRequest): readonly FieldError[] {
  const seconds = spec?.expirationSeconds ?? defaultSeconds
  const field = 'spec.expirationSeconds'
  const isWhole = Number.isSafeInteger(seconds)
  return [
    ...(!isWhole || seconds < minSeconds ? [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(isWhole && seconds > maxSeconds ? [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
  ]
}

/** Object that the token is bound to and expires with. */
function subjectOf(
  environment: Environment,
  target: Target,
  serviceaccount: ObjectIdentity,
  reference: BoundObjectReference | undefined,
): TokenSubject {
  const { namespace = '' } = target
  const subject: TokenSubject = { namespace, serviceaccount }
  if (reference === undefined) return subject
  const { kind = '', apiVersion = '', name = '', uid } = reference
  const find = (key: 'pod' | 'secret' | 'node'): KubeObject => {
    const found = environment.store.get(subjectKeys[key], key === 'node' ? '' : namespace, name)?.object
    if (found === undefined) throw notFound({ group: '', plural: `${key}s` }, name)
    if (uid !== undefined && uid !== '' && uid !== found.metadata?.uid) throw otherObject(kind, name, uid)
    return found
  }
  const identityOf = (object: KubeObject): ObjectIdentity => ({ name, uid: object.metadata?.uid ?? '' })
  const bound = apiVersion === 'v1' ? kind : ''
  if (bound === 'Secret') return { ...subject, secret: identityOf(find('secret')) }
  if (bound === 'Node') return { ...subject, node: identityOf(find('node')) }
  if (bound !== 'Pod') throw badRequest(`cannot bind token to object of type ${typeName(apiVersion, kind)}`)
  const pod: KubeObject & { spec?: { serviceAccountName?: string; nodeName?: string } } = find('pod')
  if ((pod.spec?.serviceAccountName ?? 'default') !== serviceaccount.name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(serviceaccount.name)} to pod running with different serviceaccount name.`,
    )
  }
  const { nodeName = '' } = pod.spec ?? {}
  const nodeUid = environment.store.get(subjectKeys.node, '', nodeName)?.object.metadata?.uid
  const node = nodeName === '' ? {} : { node: { name: nodeName, ...(nodeUid === undefined ? {} : { uid: nodeUid }) } }
  return { ...subject, pod: identityOf(pod), ...node }
}

function otherObject(kind: string, name: string, uid: string): Error {
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  return conflict({ group: '', plural: kind }, name, why)
}

/** Formats group, version and kind as Go does. */
function typeName(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf('/')
  return `${slash < 0 ? '' : apiVersion.slice(0, slash)}/${apiVersion.slice(slash + 1)}, Kind=${kind}`
}

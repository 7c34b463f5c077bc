import type {
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '#api/admissionregistration/v1/validating-admission-policy.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { invalid } from '#apimachinery/errors.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import type { AdmissionPlugin, AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { policyStorageKeys } from './policy-list.ts'

/** Options of {@link createParameterAccess}. */
export interface ParameterAccessOptions {
  readonly store: Pick<ObjectStore, 'getPending'>
  readonly registry: Pick<ResourceRegistry, 'findByKind'>
  readonly authorize: Authorizer
}

/** Read access that a policy or binding implies. */
interface Wanted {
  /** Path of the field, for the message. */
  readonly field: string
  readonly verb: 'get' | 'list'
  readonly kind: ParamKind | undefined
  /** Undefined: all namespaces, or cluster scope. */
  readonly namespace: string | undefined
  /** `*`: any. */
  readonly name: string
}

function ofPolicy(object: ValidatingAdmissionPolicy, old: ValidatingAdmissionPolicy | undefined): Wanted | undefined {
  const kind = object.spec?.paramKind
  if (kind === undefined || deepEqual(kind, old?.spec?.paramKind)) return undefined
  return { field: 'spec.paramKind', verb: 'get', kind, namespace: undefined, name: '*' }
}

/** A binding may exist before its policy; until then its parameters can be of any kind. */
function ofBinding(
  store: Pick<ObjectStore, 'getPending'>,
  { spec }: ValidatingAdmissionPolicyBinding,
  old: ValidatingAdmissionPolicyBinding | undefined,
): Wanted | undefined {
  const reference = spec?.paramRef
  if (reference === undefined) return undefined
  if (deepEqual(reference, old?.spec?.paramRef) && spec?.policyName === old?.spec?.policyName) return undefined
  const policy = store.getPending(policyStorageKeys.policies, '', spec?.policyName ?? '')?.object as ValidatingAdmissionPolicy | undefined
  const named = reference.selector === undefined
  const namespace = (reference.namespace ?? '') === '' ? undefined : reference.namespace
  const [verb, name] = named ? (['get', reference.name ?? '*'] as const) : (['list', '*'] as const)
  return { field: 'spec.paramRef', verb, kind: policy?.spec?.paramKind, namespace, name }
}

/**
 * Requires read access to the parameters of a policy from its author: the server evaluates policies
 * with its own rights, and messages can reveal the parameters.
 */
export function createParameterAccess({ store, registry, authorize }: ParameterAccessOptions): AdmissionPlugin {
  const wantedBy = ({ target, object, old }: AdmissionRequest): Wanted | undefined =>
    target.definition.storageKey === policyStorageKeys.policies
      ? ofPolicy(object as ValidatingAdmissionPolicy, old as ValidatingAdmissionPolicy | undefined)
      : ofBinding(store, object as ValidatingAdmissionPolicyBinding, old as ValidatingAdmissionPolicyBinding | undefined)

  return {
    name: 'PolicyParameterAccess',
    resources: new Set(Object.values(policyStorageKeys)),
    validate(request) {
      const { operation, target, context } = request
      if (operation === 'DELETE' || target.subresource !== '') return
      const wanted = wantedBy(request)
      if (wanted === undefined) return
      const { field, verb, kind, namespace, name } = wanted
      const { group, version } = parseApiVersion(kind?.apiVersion ?? '*/*')
      const resource = registry.findByKind(group, version, kind?.kind ?? '')?.plural ?? '*'
      if (authorize(context.user, { kind: 'resource', verb, group, version, resource, subresource: '', namespace, name }).allowed) return
      const what = name === '*' ? 'all objects' : `the object ${JSON.stringify(name)}`
      const why = `user ${context.user.username} must have "${verb}" permission on ${what} of the referenced paramKind (kind=${kind?.kind ?? '*'}, apiVersion=${kind?.apiVersion ?? '*'})`
      throw invalid(target.definition, target.name, [{ reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` }])
    },
  }
}

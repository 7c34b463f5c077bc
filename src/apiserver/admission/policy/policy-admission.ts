import { forbidden, StatusError, type StatusReason } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type AdmissionPlugin, type AdmissionRequest, asAdmission } from '#apiserver/admission/chain.ts'
import type { Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { isExempt, isSelected, matchedVersion, type MatchingPorts } from '../matching.ts'
import { requestFacts } from '../review-request.ts'
import { shownObject } from '../admission-object.ts'
import type { PolicyEvaluation, PolicyFinding } from './evaluate-policy.ts'
import { createPolicyList, type PolicyInForce } from './policy-list.ts'
import { PolicyMisconfigured, policyParameters } from './policy-parameters.ts'

/** Options of {@link createPolicyAdmission}. */
export interface PolicyAdmissionOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly randomUuid: () => string
  /** Implements the CEL variable `authorizer`. */
  readonly authorize: Authorizer
}

/** HTTP codes of the reasons that a validation may set. */
const codes: Readonly<Partial<Record<StatusReason, number>>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

/** Evaluates the ValidatingAdmissionPolicies that have bindings. */
export function createPolicyAdmission(options: PolicyAdmissionOptions): AdmissionPlugin & Disposable {
  const { store, registry } = options
  const list = createPolicyList(store)
  const ports: MatchingPorts = {
    versionsOf: (definition) => registry.all().filter((other) => other.storageKey === definition.storageKey),
    namespaceLabels: (name) => store.get('/namespaces', '', name)?.object.metadata?.labels,
  }

  const matched = (request: AdmissionRequest): readonly { inForce: PolicyInForce; version: ResourceDefinition }[] =>
    list.current.flatMap((inForce) => {
      const { constraints, resources } = inForce
      const version = matchedVersion(constraints, request, ports)
      if (version === undefined || !isSelected(constraints, request, ports)) return []
      return matchedVersion(resources, request, ports) !== undefined && isSelected(resources, request, ports) ? [{ inForce, version }] : []
    })

  const evaluate = async (
    { policy, binding }: PolicyInForce,
    version: ResourceDefinition,
    request: AdmissionRequest,
  ): Promise<PolicyEvaluation> => {
    // Imported on first use, so that a server without policies does not load CEL.
    const { evaluatePolicy } = await import('./evaluate-policy.ts')
    const { spec = {} } = policy
    const { namespace = '' } = request.target
    const shown = (object: KubeObject | undefined) => shownObject(version, request.target, object)
    const subject = {
      facts: requestFacts(request, version, options.randomUuid()),
      object: await shown(request.object),
      old: await shown(request.old),
      namespace: namespace === '' ? null : (store.get('/namespaces', '', namespace)?.object ?? null),
      user: request.context.user,
      authorize: options.authorize,
    }
    const parameters = parametersOf(policy.spec?.paramKind, binding, namespace)
    const evaluations = parameters.map((params) => evaluatePolicy(spec, { ...subject, params }))
    return {
      findings: evaluations.flatMap(({ findings }) => findings),
      auditAnnotations: Object.assign({}, ...evaluations.map(({ auditAnnotations }) => auditAnnotations)) as Record<string, string>,
    }
  }

  const parametersOf = (
    kind: NonNullable<PolicyInForce['policy']['spec']>['paramKind'],
    { spec }: PolicyInForce['binding'],
    namespace: string,
  ): readonly (KubeObject | null)[] => {
    if (kind === undefined || spec?.paramRef === undefined) return [null]
    return policyParameters({ store, registry }, kind, spec.paramRef, namespace)
  }

  const judge = async (inForce: PolicyInForce, version: ResourceDefinition, request: AdmissionRequest): Promise<void> => {
    const { policy, binding } = inForce
    const policyName = policy.metadata?.name ?? ''
    const bindingName = binding.metadata?.name ?? ''
    const actions = binding.spec?.validationActions ?? []
    try {
      const { findings: found, auditAnnotations } = await evaluate(inForce, version, request)
      for (const [key, value] of Object.entries(auditAnnotations)) request.context.annotate?.(`${policyName}/${key}`, value)
      if (actions.includes('Audit') && found.length > 0) {
        const failures = found.map(({ message }, index) => ({
          message,
          policy: policyName,
          binding: bindingName,
          expressionIndex: index,
          validationActions: actions,
        }))
        request.context.annotate?.('validation.policy.admission.k8s.io/validation_failure', JSON.stringify(failures))
      }
      if (actions.includes('Warn')) {
        for (const { message } of found) {
          request.context.warn(`Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${message}`)
        }
      }
      const [first] = found
      if (first !== undefined && actions.includes('Deny')) throw denied(request, policyName, bindingName, first)
    } catch (error) {
      if (!(error instanceof PolicyMisconfigured)) throw error
      if (policy.spec?.failurePolicy === 'Ignore') return
      throw denied(request, policyName, bindingName, { message: `failed to configure binding: ${error.message}`, reason: 'Invalid' })
    }
  }

  const validate = (request: AdmissionRequest): Promise<void> | undefined => {
    if (list.current.length === 0 || isExempt(request.target.definition)) return undefined
    const policies = matched(request)
    if (policies.length === 0) return undefined
    return (async () => {
      for (const { inForce, version } of policies) await judge(inForce, version, request)
    })()
  }

  return {
    name: 'ValidatingAdmissionPolicy',
    validate,
    connect: (connection) => validate(asAdmission(connection)),
    [Symbol.dispose]: () => list[Symbol.dispose](),
  }
}

function denied({ target }: AdmissionRequest, policy: string, binding: string, { message, reason }: PolicyFinding): StatusError {
  const text = `ValidatingAdmissionPolicy '${policy}' with binding '${binding}' denied request: ${message}`
  const { status } = forbidden(target.definition, target.name, text)
  return new StatusError({
    ...status,
    reason,
    code: codes[reason] ?? 422,
    details: { ...status.details, causes: [{ reason: '', message: text }] },
  })
}

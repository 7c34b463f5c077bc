import type { ValidatingAdmissionPolicy } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { Verbs } from '#apiserver/request/api-request.ts'
import { internalContext, internalMutation } from '#apiserver/request/internal-request.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { runAfterChanges } from '#apiserver/storage/run-after-changes.ts'
import { policyStorageKeys } from './policy-list.ts'

/** Options of {@link keepTypeChecks}. */
export interface TypeChecksOptions {
  readonly store: ObjectStore
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  readonly onError: (error: unknown) => void
}

const username = 'system:serviceaccount:kube-system:validatingadmissionpolicy-status-controller'

/**
 * Writes the results of the type check into the status of ValidatingAdmissionPolicies, at start and
 * after each change of a spec. Admission does not depend on it.
 */
export function keepTypeChecks(options: TypeChecksOptions): Disposable {
  const { store, registry, verbs, onError } = options

  const unchecked = (): readonly ValidatingAdmissionPolicy[] =>
    store
      .list(policyStorageKeys.policies)
      .map(({ object }) => object as ValidatingAdmissionPolicy)
      .filter(({ metadata, status }) => (metadata?.generation ?? 1) > (status?.observedGeneration ?? 0))

  const pass = async (signal: AbortSignal): Promise<void> => {
    const definition = registry.find('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies')
    const policies = unchecked()
    if (definition === undefined || policies.length === 0) return
    // Loaded on first use, as CEL is.
    const { typeCheckPolicy } = await import('./type-check.ts')
    const context = internalContext(username, 'validatingadmissionpolicy-status', signal)
    for (const { metadata, spec } of policies) {
      const warnings = spec === undefined ? [] : typeCheckPolicy(spec, registry.all())
      const target = { definition, namespace: '', name: metadata?.name ?? '', subresource: 'status' }
      const status = {
        observedGeneration: metadata?.generation ?? 1,
        typeChecking: { expressionWarnings: warnings.length === 0 ? null : warnings },
      }
      await verbs.patch(target, { type: 'merge', body: { metadata: { uid: metadata?.uid }, status } }, internalMutation, context)
    }
  }
  return runAfterChanges({ store, keys: [policyStorageKeys.policies], pass, onError })
}

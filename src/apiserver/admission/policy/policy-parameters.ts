import type { ParamKind, ParamRef } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion } from '#apimachinery/meta/resource-type.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { renamed } from '#apiserver/codec/conversion.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'

/** A policy or binding that cannot be evaluated; its failurePolicy applies. */
export class PolicyMisconfigured extends Error {
  override readonly name = 'PolicyMisconfigured'
}

/**
 * Resolves the parameters of a binding. Empty: there are none, and parameterNotFoundAction allows
 * the request.
 * @throws PolicyMisconfigured
 */
export function policyParameters(
  { store, registry }: { readonly store: ObjectStore; readonly registry: ResourceRegistry },
  kind: ParamKind,
  reference: ParamRef,
  requestNamespace: string,
): readonly KubeObject[] {
  const { group, version } = parseApiVersion(kind.apiVersion ?? '')
  const definition = registry.findByKind(group, version, kind.kind ?? '')
  if (definition === undefined) {
    throw new PolicyMisconfigured(`failed to find resource referenced by paramKind: '${kind.apiVersion ?? ''}, Kind=${kind.kind ?? ''}'`)
  }
  const namespace = namespaceOf(definition.namespaced, reference, requestNamespace)
  const entries =
    reference.selector === undefined
      ? [store.get(definition.storageKey, namespace, reference.name ?? '')].filter((entry) => entry !== undefined)
      : store.list(definition.storageKey, namespace)
  const selector = labelSelectorFromObject(reference.selector ?? {})
  const found = entries
    .map(({ object }) => renamed(definition, object, kind.apiVersion ?? ''))
    .filter(({ metadata }) => selector.matches(metadata?.labels ?? {}))
  if (found.length === 0 && reference.parameterNotFoundAction !== 'Allow') {
    throw new PolicyMisconfigured('no params found for policy binding with `Deny` parameterNotFoundAction')
  }
  return found
}

function namespaceOf(namespaced: boolean, { namespace = '' }: ParamRef, requestNamespace: string): string {
  if (!namespaced) {
    if (namespace !== '') throw new PolicyMisconfigured('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
    return ''
  }
  if (namespace !== '') return namespace
  if (requestNamespace === '') {
    throw new PolicyMisconfigured('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
  }
  return requestNamespace
}

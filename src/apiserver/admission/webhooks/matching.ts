import type { RuleWithOperations } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { RegisteredWebhook } from './webhook-list.ts'

/** What matching has to look up. */
export interface MatchingPorts {
  /** All served versions of a resource, the given one among them. */
  readonly versionsOf: (definition: ResourceDefinition) => readonly ResourceDefinition[]
  /** Labels of a namespace; undefined when there is none of that name. */
  readonly namespaceLabels: (name: string) => Readonly<Record<string, string>> | undefined
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value))
}

/** `*` stands for all resources but no subresource, `*` + `/*` for everything, and either side of the slash for all of its kind. */
function namesResource(resources: readonly string[] | undefined, plural: string, subresource: string): boolean {
  return (
    resources?.some((pattern) => {
      const [resource, sub] = pattern.split('/', 2)
      if (resource !== '*' && resource !== plural) return false
      if (sub === '*') return true
      return (sub ?? '') === subresource
    }) ?? false
  )
}

/** Whether a rule is about this operation on this version of this resource. */
export function matchesRule(rule: RuleWithOperations, operation: string, definition: ResourceDefinition, subresource: string): boolean {
  if (!has(rule.operations, operation) || !has(rule.apiGroups, definition.group) || !has(rule.apiVersions, definition.version)) return false
  const scope = rule.scope ?? '*'
  if (scope !== '*' && (scope === 'Namespaced') !== definition.namespaced) return false
  return namesResource(rule.resources, definition.plural, subresource)
}

/** Configurations of webhooks are beyond webhooks, or a broken one could never be mended. */
export function isExempt(definition: ResourceDefinition): boolean {
  return definition.group === 'admissionregistration.k8s.io'
}

function selectsNamespace(registered: RegisteredWebhook, request: AdmissionRequest, ports: MatchingPorts): boolean {
  const { namespaceSelector } = registered
  if (namespaceSelector.requirements.length === 0) return true
  const { definition, namespace, name } = request.target
  if (definition.group === '' && definition.plural === 'namespaces') {
    const own = request.object?.metadata?.labels ?? request.old?.metadata?.labels
    return namespaceSelector.matches(own ?? ports.namespaceLabels(name))
  }
  if (!definition.namespaced) return true
  return namespaceSelector.matches(ports.namespaceLabels(namespace ?? ''))
}

function selectsObject(registered: RegisteredWebhook, objects: readonly (KubeObject | undefined)[]): boolean {
  const { objectSelector } = registered
  if (objectSelector.requirements.length === 0) return true
  return objects.some((object) => object !== undefined && objectSelector.matches(object.metadata?.labels))
}

/**
 * The version of the resource in which the webhook wants to see the request; undefined when its rules do not name it at all.
 * With the policy Equivalent, rules that name another version of the resource count too.
 */
export function matchedVersion(
  { webhook }: RegisteredWebhook,
  request: AdmissionRequest,
  ports: MatchingPorts,
): ResourceDefinition | undefined {
  const { definition, subresource } = request.target
  const matches = (version: ResourceDefinition): boolean =>
    webhook.rules?.some((rule) => matchesRule(rule, request.operation, version, subresource)) ?? false
  if (matches(definition)) return definition
  if (webhook.matchPolicy === 'Exact') return undefined
  return ports.versionsOf(definition).find((other) => other !== definition && matches(other))
}

/** Whether the webhook's selectors choose the namespace and the object, as it is or as it was. */
export function isSelected(registered: RegisteredWebhook, request: AdmissionRequest, ports: MatchingPorts): boolean {
  return selectsNamespace(registered, request, ports) && selectsObject(registered, [request.object, request.old])
}

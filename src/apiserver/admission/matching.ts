import type { NamedRuleWithOperations } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { RuleWithOperations } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { LabelSelector } from '#apimachinery/selectors/label-selector.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** Match criteria of a webhook, policy or binding, with compiled selectors. */
export interface MatchCriteria {
  /** Undefined: every operation on every resource. */
  readonly rules: readonly NamedRuleWithOperations[] | undefined
  readonly excluded: readonly NamedRuleWithOperations[]
  /** True if rules match only the version that they name (`matchPolicy: Exact`). */
  readonly exact: boolean
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
}

/** Lookups that matching needs. */
export interface MatchingPorts {
  /** All served versions of a resource, the given one included. */
  readonly versionsOf: (definition: ResourceDefinition) => readonly ResourceDefinition[]
  /** Labels of a namespace; undefined when it does not exist. */
  readonly namespaceLabels: (name: string) => Readonly<Record<string, string>> | undefined
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value))
}

/**
 * `*` stands for all resources but no subresource, `*` + `/*` for everything, and either side of
 * the slash for all of its kind.
 */
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

/** Reports whether a rule matches an operation on this version of a resource. */
export function matchesRule(rule: RuleWithOperations, operation: string, definition: ResourceDefinition, subresource: string): boolean {
  if (!has(rule.operations, operation) || !has(rule.apiGroups, definition.group) || !has(rule.apiVersions, definition.version)) return false
  const scope = rule.scope ?? '*'
  if (scope !== '*' && (scope === 'Namespaced') !== definition.namespaced) return false
  return namesResource(rule.resources, definition.plural, subresource)
}

/**
 * Reports whether webhooks and policies must not see the resource: a broken one could otherwise
 * block its own repair.
 */
export function isExempt(definition: ResourceDefinition): boolean {
  return definition.group === 'admissionregistration.k8s.io'
}

function selectsNamespace(criteria: MatchCriteria, request: AdmissionRequest, ports: MatchingPorts): boolean {
  const { namespaceSelector } = criteria
  if (namespaceSelector.requirements.length === 0) return true
  const { definition, namespace, name } = request.target
  if (definition.group === '' && definition.plural === 'namespaces') {
    const own = request.object?.metadata?.labels ?? request.old?.metadata?.labels
    return namespaceSelector.matches(own ?? ports.namespaceLabels(name))
  }
  if (!definition.namespaced) return true
  return namespaceSelector.matches(ports.namespaceLabels(namespace ?? ''))
}

function selectsObject(criteria: MatchCriteria, objects: readonly (KubeObject | undefined)[]): boolean {
  const { objectSelector } = criteria
  if (objectSelector.requirements.length === 0) return true
  return objects.some((object) => object !== undefined && objectSelector.matches(object.metadata?.labels))
}

/**
 * Returns the version that the rules match, or undefined. With matchPolicy Equivalent, rules for
 * other versions of the resource match too.
 */
export function matchedVersion(criteria: MatchCriteria, request: AdmissionRequest, ports: MatchingPorts): ResourceDefinition | undefined {
  const { definition } = request.target
  const { rules, excluded, exact } = criteria
  const others = (): readonly ResourceDefinition[] => (exact ? [] : ports.versionsOf(definition).filter((other) => other !== definition))
  if (excluded.length > 0 && [definition, ...others()].some((version) => names(excluded, request, version))) return undefined
  if (rules === undefined || names(rules, request, definition)) return definition
  return others().find((other) => names(rules, request, other))
}

function names(rules: readonly NamedRuleWithOperations[], { operation, target }: AdmissionRequest, version: ResourceDefinition): boolean {
  return rules.some(
    (rule) => matchesRule(rule, operation, version, target.subresource) && (rule.resourceNames?.includes(target.name) ?? true),
  )
}

/** Reports whether the selectors match the namespace and the object, new or old. */
export function isSelected(criteria: MatchCriteria, request: AdmissionRequest, ports: MatchingPorts): boolean {
  return selectsNamespace(criteria, request, ports) && selectsObject(criteria, [request.object, request.old])
}

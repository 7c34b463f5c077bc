import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestInfo, ResourceRequest } from '#apiserver/request/request-info.ts'
import type { AuditLevel, AuditStage } from './audit-event.ts'

/**
 * A rule of a policy. The first match determines the level. Absent and empty lists match
 * everything.
 */
export interface AuditRule {
  readonly level: AuditLevel
  readonly users?: readonly string[]
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly {
    readonly group?: string
    /** `pods`, `pods/log`, `pods/*` for all its subresources, `*` for all. */
    readonly resources?: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
  /** The empty name is cluster scope. */
  readonly namespaces?: readonly string[]
  /** Paths; `*` at the end is a wildcard. */
  readonly nonResourceURLs?: readonly string[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** `audit.k8s.io/v1` Policy. */
export interface AuditPolicy {
  readonly apiVersion?: string
  readonly kind?: string
  readonly rules: readonly AuditRule[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** Result of a policy for one request. */
export interface AuditDecision {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

/** Evaluates a policy. */
export type AuditPolicyEvaluator = (user: UserInfo | undefined, info: RequestInfo) => AuditDecision

function isIn(list: readonly string[] | undefined): (value: string) => boolean {
  const set = new Set(list ?? [])
  return set.size === 0 ? () => true : (value) => set.has(value)
}

function matchesPattern(pattern: string, { resource, subresource }: ResourceRequest): boolean {
  if (pattern === '*') return true
  if (pattern === (subresource === '' ? resource : `${resource}/${subresource}`)) return true
  if (subresource === '') return false
  return pattern === `*/${subresource}` || pattern === `${resource}/*`
}

function resourceMatcher(rule: AuditRule): (info: ResourceRequest) => boolean {
  const inNamespace = isIn(rule.namespaces)
  const kinds = (rule.resources ?? []).map(({ group = '', resources = [], resourceNames }) => ({
    group,
    resources,
    hasName: isIn(resourceNames),
  }))
  return (info) =>
    inNamespace(info.namespace ?? '') &&
    (kinds.length === 0 ||
      kinds.some(
        ({ group, resources, hasName }) =>
          group === info.group &&
          (resources.length === 0 || (hasName(info.name) && resources.some((pattern) => matchesPattern(pattern, info)))),
      ))
}

function pathMatcher(urls: readonly string[]): (path: string) => boolean {
  return (path) => urls.some((url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))))
}

function ruleMatcher(rule: AuditRule): (user: UserInfo | undefined, info: RequestInfo) => boolean {
  const isUser = isIn(rule.users)
  const isGroup = isIn(rule.userGroups)
  const isVerb = isIn(rule.verbs)
  const urls = rule.nonResourceURLs ?? []
  const aboutResources = (rule.resources ?? []).length > 0 || (rule.namespaces ?? []).length > 0
  const isResource = resourceMatcher(rule)
  const isPath = pathMatcher(urls)
  const anyGroup = (rule.userGroups ?? []).length === 0
  return (user, info) => {
    if (!isVerb(info.verb) || !isUser(user?.username ?? '')) return false
    if (!anyGroup && user?.groups.some(isGroup) !== true) return false
    if (aboutResources) return info.kind === 'resource' && isResource(info)
    return urls.length === 0 || (info.kind === 'nonResource' && isPath(info.path))
  }
}

const levels: ReadonlySet<unknown> = new Set(['None', 'Metadata', 'Request', 'RequestResponse'])
const stages: ReadonlySet<unknown> = new Set(['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'])

/** A policy file is invalid. */
export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError'
}

/** Validates a policy file. @throws AuditPolicyError */
export function readAuditPolicy(value: unknown): AuditPolicy {
  const policy = (value ?? {}) as AuditPolicy
  const fail = (why: string): never => {
    throw new AuditPolicyError(`The audit policy is wrong: ${why}`)
  }
  if (policy.apiVersion !== 'audit.k8s.io/v1' || policy.kind !== 'Policy') fail('it must be a Policy of audit.k8s.io/v1')
  if (!Array.isArray(policy.rules) || policy.rules.length === 0)
    fail('rules: at least one rule must be there, the first that matches counts')
  const checkStages = (list: unknown, field: string): void => {
    if (list === undefined) return
    if (!Array.isArray(list) || !list.every((stage) => stages.has(stage))) fail(`${field}: known stages are ${[...stages].join(', ')}`)
  }
  checkStages(policy.omitStages, 'omitStages')
  policy.rules.forEach((rule, index) => {
    const field = `rules[${index}]`
    if (!levels.has(rule?.level)) fail(`${field}.level: must be one of ${[...levels].join(', ')}`)
    checkStages(rule.omitStages, `${field}.omitStages`)
    for (const key of ['users', 'userGroups', 'verbs', 'resources', 'namespaces', 'nonResourceURLs'] as const) {
      if (rule[key] !== undefined && !Array.isArray(rule[key])) fail(`${field}.${key}: must be a list`)
    }
    const aboutResources = (rule.resources ?? []).length > 0 || (rule.namespaces ?? []).length > 0
    if (aboutResources && (rule.nonResourceURLs ?? []).length > 0)
      fail(`${field}: rules cannot apply to both regular resources and non-resource URLs`)
  })
  return policy
}

/** Compiles a policy. Requests without a matching rule are not recorded. */
export function compileAuditPolicy(policy: AuditPolicy): AuditPolicyEvaluator {
  const rules = policy.rules.map((rule) => ({
    matches: ruleMatcher(rule),
    decision: {
      level: rule.level,
      omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    },
  }))
  const none: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false }
  return (user, info) => rules.find(({ matches }) => matches(user, info))?.decision ?? none
}

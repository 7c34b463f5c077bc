import type { FlowSchema, FlowSubject, PolicyRulesWithSubjects } from '#api/flowcontrol/v1/flow-schema.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestInfo, ResourceRequest } from '#apiserver/request/request-info.ts'

type Matches = (info: RequestInfo, user: UserInfo) => boolean

/** A FlowSchema, ready to be matched. */
export interface CompiledSchema {
  readonly name: string
  readonly uid: string
  /** Name of its priority level. */
  readonly level: string
  readonly matches: Matches
}

const wholeResources = (wanted: readonly string[] | undefined, found: string): boolean =>
  wanted?.includes('*') === true || wanted?.includes(found) === true

/** Compiles FlowSchemas, the first to match first: by precedence, then by name. Pure. */
export function compileSchemas(schemas: readonly FlowSchema[]): readonly CompiledSchema[] {
  const precedence = ({ spec }: FlowSchema): number => spec?.matchingPrecedence ?? 1000
  return schemas
    .toSorted((a, b) => precedence(a) - precedence(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    .map(({ metadata, spec }) => {
      const rules = (spec?.rules ?? []).map(compileRule)
      return {
        name: metadata.name ?? '',
        uid: metadata.uid ?? '',
        level: spec?.priorityLevelConfiguration?.name ?? '',
        matches: (info, user) => rules.some((matches) => matches(info, user)),
      }
    })
}

function compileRule({ subjects = [], resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): Matches {
  const hasSubject = compileSubjects(subjects)
  return (info, user) => {
    if (!hasSubject(user)) return false
    if (info.kind === 'resource') return resourceRules.some((rule) => matchesResource(rule, info))
    return nonResourceRules.some(
      ({ verbs, nonResourceURLs = [] }) =>
        wholeResources(verbs, info.verb) && nonResourceURLs.some((pattern) => matchesPath(pattern, info.path)),
    )
  }
}

function compileSubjects(subjects: readonly FlowSubject[]): (user: UserInfo) => boolean {
  const users = new Set<string>()
  const groups = new Set<string>()
  const prefixes: string[] = []
  for (const { kind, user, group, serviceAccount } of subjects) {
    if (kind === 'User') users.add(user?.name ?? '')
    else if (kind === 'Group') groups.add(group?.name ?? '')
    else if (kind === 'ServiceAccount') {
      const prefix = `system:serviceaccount:${serviceAccount?.namespace ?? ''}:`
      if (serviceAccount?.name === '*') prefixes.push(prefix)
      else users.add(`${prefix}${serviceAccount?.name ?? ''}`)
    }
  }
  const isEverybody = users.has('*') || groups.has('*')
  return (user) =>
    isEverybody ||
    users.has(user.username) ||
    user.groups.some((group) => groups.has(group)) ||
    prefixes.some((prefix) => user.username.startsWith(prefix))
}

function matchesResource(rule: NonNullable<PolicyRulesWithSubjects['resourceRules']>[number], info: ResourceRequest): boolean {
  const { verbs, apiGroups, resources, clusterScope = false, namespaces } = rule
  const { verb, group, resource, subresource, namespace = '' } = info
  return (
    wholeResources(verbs, verb) &&
    wholeResources(apiGroups, group) &&
    wholeResources(resources, subresource === '' ? resource : `${resource}/${subresource}`) &&
    (namespace === '' ? clusterScope : wholeResources(namespaces, namespace))
  )
}

/** `/a` matches itself, `/a/*` everything below it, `*` every path. */
function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path
}

import { quote } from '#apimachinery/field-messages.ts'
import type { PolicyRule } from './policy.ts'

function hasAll(have: readonly string[], want: readonly string[]): boolean {
  return have.includes('*') || want.every((each) => have.includes(each))
}

function coversResources(have: readonly string[], want: readonly string[]): boolean {
  if (have.includes('*')) return true
  return want.every(
    (resource) => have.includes(resource) || (resource.includes('/') && have.includes(`*${resource.slice(resource.indexOf('/'))}`)),
  )
}

function coversUrls(have: readonly string[], want: readonly string[]): boolean {
  return want.every((url) => have.some((own) => own === url || own === '*' || (own.endsWith('*') && url.startsWith(own.slice(0, -1)))))
}

/** Reports whether the rule `own` includes the rule `wanted`. */
function covers(own: PolicyRule, wanted: PolicyRule): boolean {
  const names = { have: own.resourceNames ?? [], want: wanted.resourceNames ?? [] }
  // Without names, a rule is for all names.
  const namesCovered = names.have.length === 0 || (names.want.length > 0 && names.want.every((name) => names.have.includes(name)))
  return (
    hasAll(own.verbs, wanted.verbs) &&
    hasAll(own.apiGroups ?? [], wanted.apiGroups ?? []) &&
    coversResources(own.resources ?? [], wanted.resources ?? []) &&
    coversUrls(own.nonResourceURLs ?? [], wanted.nonResourceURLs ?? []) &&
    namesCovered
  )
}

/** Splits a rule into one verb on one resource or URL each. */
function* breakDown(rule: PolicyRule): Generator<PolicyRule> {
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] }
        const names = rule.resourceNames ?? []
        if (names.length === 0) yield part
        for (const name of names) yield { ...part, resourceNames: [name] }
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) for (const verb of rule.verbs) yield { nonResourceURLs: [url], verbs: [verb] }
}

/** Merges rules of the same resource. */
function compact(parts: readonly PolicyRule[]): readonly PolicyRule[] {
  const byThing = new Map<string, PolicyRule>()
  const urls: PolicyRule[] = []
  for (const part of parts) {
    if (part.nonResourceURLs !== undefined) {
      urls.push(part)
      continue
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames])
    const known = byThing.get(key)
    byThing.set(key, known === undefined ? part : { ...known, verbs: [...known.verbs, ...part.verbs] })
  }
  return [...urls, ...byThing.values()]
}

/** Limit of split rules. A small request can imply billions; such rules are compared as a whole. */
const partsLimit = 20_000

function partCount({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): number {
  return verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length)
}

/** Returns the wanted rules that the own ones do not cover. */
export function missingRules(own: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  // Whole rules first: that nearly always decides, and splitting is expensive.
  const uncovered = wanted.filter((rule) => !own.some((each) => covers(each, rule)))
  if (uncovered.reduce((sum, rule) => sum + partCount(rule), 0) > partsLimit) return uncovered
  return compact(uncovered.flatMap((rule) => [...breakDown(rule)].filter((part) => !own.some((each) => covers(each, part)))))
}

/** Formats a list with Go's `%q`. */
export function quoteAll(texts: readonly string[]): string {
  return `[${texts.map(quote).join(' ')}]`
}

/** Formats a rule as Kubernetes does: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function describeRule(rule: PolicyRule): string {
  const fields: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const shown = fields.filter(([, values]) => (values ?? []).length > 0)
  return `{${shown.map(([name, values]) => `${name}:${quoteAll(values ?? [])}`).join(', ')}}`
}

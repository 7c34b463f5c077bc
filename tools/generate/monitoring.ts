import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { dashboards, dashboardText, metricNamesIn } from '#features/dashboards/index.ts'

/** A recording rule or an alert. */
export interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
}

/** A group of rules, as Prometheus evaluates it. */
export interface RuleGroup {
  readonly name: string
  readonly rules: readonly Rule[]
}

interface RuleFile {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly groups: readonly RuleGroup[] }
}

/** Those of the operator of HyperConverged, which applies them itself. */
const hyperConvergedFile = 'hyperconverged.yaml'
/** What Prometheus itself brings. */
const ofPrometheus: readonly string[] = ['up', 'ALERTS']

/**
 * Dashboards, and rules in two forms: those of the components, which virt-operator applies where
 * the Prometheus operator runs, and a rule file for machine mode. Text by path below the root.
 * `metrics`: names of what the components report.
 */
export function generateMonitoring(root: string, metrics: readonly string[], hyperConverged: string): ReadonlyMap<string, string> {
  const folder = join(root, 'manifests', 'alerts')
  const read = (text: string): readonly RuleGroup[] => (parse(text) as RuleFile).spec.groups
  const files = readdirSync(folder).filter((name) => name !== hyperConvergedFile)
  const groups = files.toSorted().flatMap((name) => read(readFileSync(join(folder, name), 'utf8')))
  const onMachine = rulesWithin([...groups, ...read(hyperConverged)], [...metrics, ...ofPrometheus])
  return new Map([
    ...dashboards.map((dashboard) => [`manifests/dashboards/${dashboard.name}.json`, dashboardText(dashboard)] as const),
    ['manifests/rules.generated.json', `${JSON.stringify({ groups }, null, 1)}\n`],
    ['manifests/machine-rules.generated.json', `${JSON.stringify({ groups: onMachine }, null, 1)}\n`],
  ])
}

/**
 * Returns the rules that need no other metrics than those, and the records of such rules. Without
 * its metrics, an alert about something that is missing would fire for ever. Pure.
 */
export function rulesWithin(groups: readonly RuleGroup[], metrics: readonly string[]): readonly RuleGroup[] {
  const known = new Set(metrics)
  const isKnown = (name: string): boolean => known.has(name) || known.has(name.replace(/_(bucket|sum|count)$/, ''))
  const isWithin = ({ expr }: Rule): boolean => metricNamesIn(expr).every(isKnown)
  for (let size = -1; size !== known.size;) {
    size = known.size
    for (const rule of groups.flatMap(({ rules }) => rules)) if (rule.record !== undefined && isWithin(rule)) known.add(rule.record)
  }
  return groups.map((group) => ({ ...group, rules: group.rules.filter(isWithin) })).filter(({ rules }) => rules.length > 0)
}

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { parse } from 'yaml'
import { dashboards, metricNamesIn } from '#features/dashboards/index.ts'
import { rulesWithin, type RuleGroup } from './monitoring.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8')
const rulesOf = (groups: readonly RuleGroup[]): RuleGroup['rules'] => groups.flatMap(({ rules }) => rules)

/** The metrics of all components, from the list that is generated from the sources. */
const reported = [...read('docs', 'reference', 'metrics.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)

function recorded(): readonly string[] {
  const files = readdirSync(join(root, 'manifests', 'alerts'))
  const groups = files.flatMap((name) => (parse(read('manifests', 'alerts', name)) as { spec: { groups: RuleGroup[] } }).spec.groups)
  return rulesOf(groups).flatMap(({ record }) => record ?? [])
}

async function ofProcesses(): Promise<readonly string[]> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return (await registry.getMetricsAsJSON()).map(({ name }) => name)
}

suite('monitoring', () => {
  test('dashboards read only metrics that the components report, and records of our rules', async () => {
    const known = new Set([...reported, ...recorded(), ...(await ofProcesses()), 'ALERTS'])
    for (const { name, rows } of dashboards)
      for (const { title, queries } of rows.flatMap(({ panels }) => panels))
        for (const { expr } of queries) {
          const names = metricNamesIn(expr)
          assert.ok(names.length > 0, `${name}, ${title}: ${expr}`)
          for (const one of names)
            assert.ok(known.has(one) || known.has(one.replace(/_(bucket|sum|count)$/, '')), `${one} of the panel "${title}" of ${name}`)
        }
  })

  test('every measure of the load of guests is on a dashboard', () => {
    const shown = new Set(
      dashboards.flatMap(({ rows }) =>
        rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.flatMap(({ expr }) => metricNamesIn(expr)))),
      ),
    )
    const load = reported.filter((name) =>
      /^kubevirt_vmi_(vcpu_(seconds|delay)|storage|network_(receive|transmit)_(bytes|errors|packets_dropped)|filesystem)_/.test(name),
    )
    assert.ok(load.length > 15, load.join())
    assert.deepEqual(
      load.filter((name) => !shown.has(name)),
      [],
    )
  })

  test('rulesWithin() leaves out rules of other metrics, and those that build on them', () => {
    const groups = [
      {
        name: 'one',
        rules: [
          { record: 'b', expr: 'sum(a)' },
          { record: 'd', expr: 'sum(c) or vector(0)' },
          { alert: 'E', expr: 'd == 0' },
        ],
      },
      {
        name: 'two',
        rules: [
          { alert: 'F', expr: 'b > 1 and rate(h_bucket[5m]) > 0' },
          { record: 'g', expr: 'e' },
          { record: 'e', expr: 'b' },
        ],
      },
      { name: 'three', rules: [{ alert: 'H', expr: 'c' }] },
    ]
    assert.deepEqual(
      rulesWithin(groups, ['a', 'h']).map(({ name, rules }) => [
        name,
        ...rules.map(({ record = '', alert = record }: { record?: string; alert?: string }) => alert),
      ]),
      [
        ['one', 'b'],
        ['two', 'F', 'g', 'e'],
      ],
    )
  })

  test('rules for machine mode need nothing that is missing there, and are nearly all', () => {
    const { groups } = JSON.parse(read('manifests', 'machine-rules.generated.json')) as { readonly groups: readonly RuleGroup[] }
    const { groups: all } = JSON.parse(read('manifests', 'rules.generated.json')) as { readonly groups: readonly RuleGroup[] }
    const [own, every] = [rulesOf(groups), rulesOf(all)]
    assert.ok(own.length > every.length * 0.9, `${own.length} of ${every.length}`)
    for (const { expr } of own) assert.doesNotMatch(metricNamesIn(expr).join(), /\bcontainer_/, expr)
    const alerts = own.flatMap(({ alert }) => alert ?? [])
    for (const one of [
      'HCOOperatorConditionsUnhealthy',
      'VMCannotBeEvicted',
      'UpgradeStandsStill',
      'GuestVCPUQueueHighWarning',
      'VirtAPIDown',
    ])
      assert.ok(alerts.includes(one), one)
  })
})

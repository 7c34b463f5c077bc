import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { findOnPath, runCommand } from '../support/kubectl.ts'
import { repository } from '../support/machine.ts'
import { cacheFolder } from '../support/cache.ts'
import { reportedMetrics } from '../support/reported-metrics.ts'

interface Rule {
  /** Absent: the rule records a metric. */
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: { readonly summary: string; readonly description: string; readonly runbook_url: string }
}

interface RuleFile {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
}

const alerts = join(repository, 'manifests', 'alerts')
const names = readdirSync(alerts)
const promtool = findPromtool()

/**
 * Returns the path of the machine's promtool, otherwise of the one that `tools/setup.mjs --test`
 * has fetched.
 */
function findPromtool(): string | undefined {
  const cache = join(cacheFolder, 'promtool', 'usr', 'bin', 'promtool')
  return findOnPath('promtool') ?? (existsSync(cache) ? cache : undefined)
}

function readRules(name: string): RuleFile {
  return parse(readFileSync(join(alerts, name), 'utf8')) as RuleFile
}

function rulesIn(name: string): readonly Rule[] {
  return readRules(name).spec.groups.flatMap(({ rules }) => rules)
}

suite(
  'alert rules, by promtool',
  { skip: promtool === undefined ? 'there is no promtool: run "node tools/setup.mjs --test"' : false },
  () => {
    for (const name of names) {
      test(`${name} fires when it should, and only then`, async () => {
        const directory = await mkdtemp(join(tmpdir(), 'alerts-'))
        try {
          await writeFile(join(directory, 'rules.yaml'), stringify(readRules(name).spec))
          await cp(join(repository, 'test', 'alerts', name), join(directory, 'tests.yaml'))
          for (const args of [
            ['check', 'rules', 'rules.yaml'],
            ['test', 'rules', 'tests.yaml'],
          ]) {
            const { code, stdout, stderr } = await runCommand(promtool ?? '', args, { env: process.env, cwd: directory })
            assert.equal(code, 0, stdout + stderr)
          }
        } finally {
          await rm(directory, { recursive: true, force: true })
        }
      })
    }
  },
)

test('every alert has a runbook page, and every runbook page an alert', () => {
  const pages = names.flatMap((name) =>
    rulesIn(name).flatMap(({ alert, annotations }) =>
      alert === undefined ? [] : [[`docs/runbooks/${alert}.md`, annotations?.runbook_url ?? '']],
    ),
  )
  for (const [page, url] of pages) assert.equal(url, page)
  assert.deepEqual(
    readdirSync(join(repository, 'docs', 'runbooks'))
      .map((name) => `docs/runbooks/${name}`)
      .toSorted(),
    // One alert may have a rule for each severity.
    [...new Set(pages.map(([page]) => page ?? ''))].toSorted(),
  )
})

test('rules use only metrics that the components report, and records that a rule of theirs makes', () => {
  const reported = reportedMetrics()
  assert.ok(reported.size > 50)
  for (const name of names) {
    const rules = rulesIn(name)
    // Prometheus servers may take the rules of one area only.
    const recorded = new Set(rules.flatMap(({ record }) => record ?? []))
    const used = rules.flatMap(({ expr }) => withoutStrings(expr).match(/(?<![\w:])(?:\w+:)?(?:steadyvm|kubevirt)_\w+(?::\w+)?/g) ?? [])
    for (const one of used) assert.ok(reported.has(one) || recorded.has(one), `${one} in ${name}`)
  }
})

test('alerts say how urgent they are, whom they concern and what to do', () => {
  for (const { alert, labels, annotations } of names.flatMap(rulesIn)) {
    if (alert === undefined) continue
    assert.match(labels?.['severity'] ?? '', /^(critical|warning|info)$/, alert)
    assert.match(labels?.['operator_health_impact'] ?? '', /^(critical|warning|none)$/, alert)
    assert.equal(labels?.['kubernetes_operator_part_of'], 'kubevirt', alert)
    for (const text of [annotations?.summary, annotations?.description]) assert.ok((text ?? '') !== '', alert)
  }
})

/** Label values and texts in an expression are no metrics. */
function withoutStrings(expr: string): string {
  return expr.replaceAll(/"[^"]*"/g, '""')
}

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { defineCertificateMetrics } from '#runtime/certificates/metrics.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { defineEvacuationMetrics } from '#features/evacuation/metrics.ts'
import { defineHyperConvergedMetrics } from '#features/hyperconverged/index.ts'
import { defineHardwareMetrics } from '#features/hardware-record/metrics.ts'
import { defineMigrationMetrics } from '#features/migration/metrics/metrics.ts'
import { defineUpgradeMetrics } from '#features/operator/status/metrics.ts'
import { defineRevisionMetrics } from '#features/revision-report/summary/metrics.ts'
import { defineUpdateMetrics } from '#features/workload-update/metrics.ts'
import { findOnPath, runCommand } from '../support/kubectl.ts'
import { repository } from '../support/machine.ts'
import { cacheFolder } from '../support/cache.ts'

interface Rule {
  /** Absent: the rule records a metric. */
  readonly alert?: string
  readonly expr: string
  readonly annotations?: { readonly runbook_url: string }
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

test('alerts use only metrics that exist', async () => {
  const metrics = createMetrics()
  defineRevisionMetrics(metrics)
  defineEvacuationMetrics(metrics, { list: () => [] }, () => ({ evictionStrategy: 'None' }))
  defineUpdateMetrics(metrics, { list: () => [] })
  defineHardwareMetrics(metrics, { list: () => [] })
  defineMigrationMetrics(metrics, () => [])
  defineUpgradeMetrics(metrics, { clock: { now: () => 0 }, status: () => undefined })
  defineHyperConvergedMetrics(metrics, {
    hyperconvergeds: { get: () => undefined, hasSynced: false },
    nodes: { list: () => [] },
    caches: { observe: () => ({ resource: undefined, isKnown: false, objects: [] }) },
    clock: { now: () => 0 },
    environment: {},
  })
  defineCertificateMetrics(metrics, { clock: { now: () => 0 }, renewals: () => [] })
  const defined = new Set((await metrics.metrics()).split('\n').flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []))
  // A name after a colon is that of a recording rule.
  const used = names.flatMap((name) => rulesIn(name).flatMap(({ expr }) => expr.match(/(?<![\w:])(steadyvm|kubevirt)_\w+/g) ?? []))
  assert.ok(used.length > 0)
  for (const name of used) assert.ok(defined.has(name), name)
})

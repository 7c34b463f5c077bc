import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { dashboards, type Query } from '#features/dashboards/index.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, type TestMachine } from '../support/machine.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { noPrometheus, prometheusFolder, startPrometheus, type TestPrometheus } from '../support/observers/prometheus.ts'
import { machineModeOnly, testClusterHome } from '../support/place.ts'

const skip = noKubectl || noPrometheus
const onlyHere = { skip: machineModeOnly('steadyvm up runs Prometheus') }

const components = ['virt-api', 'virt-controller', 'virt-handler', 'virt-operator']
/** Seconds between two scrapes; a rate needs two of them. */
const scrapeSeconds = 2
const rateSeconds = 10

/** Whether a query reads a record of HyperConverged's operator, which the cluster does not have. */
const isOfOthers = (expr: string): boolean => testClusterHome !== undefined && expr.includes('cluster:kubevirt_hco_')

/** Result of a query: the values that it gives. */
type Answer = readonly { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] }[]

suite('Prometheus, by steadyvm up --monitoring or by our ServiceMonitor', { skip }, () => {
  let machine: TestMachine
  let prometheus: TestPrometheus | undefined
  let address = ''
  before(async () => {
    process.env['PATH'] = [process.env['PATH'], prometheusFolder].join(delimiter)
    machine = await startMachine()
    if (testClusterHome === undefined) return
    prometheus = await startPrometheus(machine, scrapeSeconds)
    address = prometheus.url
  })
  after(async () => {
    await prometheus?.[Symbol.asyncDispose]()
    await machine[Symbol.asyncDispose]()
  })

  const up = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await machine.steadyvm('up', ...args)
    assert.equal(code, 0, stderr)
    return stderr
  }
  const isRunning = (): boolean => machine.processes().some(({ role }) => role === 'prometheus')
  async function ask<T>(path: string): Promise<T> {
    const response = await fetch(`${address}/api/v1/${path}`)
    const body = (await response.json()) as { readonly status: string; readonly error?: string; readonly data: T }
    assert.equal(body.status, 'success', `${path}: ${body.error ?? ''}`)
    return body.data
  }
  const evaluate = async (expr: string): Promise<Answer> =>
    (await ask<{ readonly result: Answer }>(`query?query=${encodeURIComponent(expr)}`)).result

  test('starts Prometheus on the loopback address, and says where', onlyHere, async () => {
    const path = join(machine.home, 'config.json')
    address = /^Prometheus at (http:\/\/127\.0\.0\.1:\d+)$/m.exec(await up('--monitoring'))?.[1] ?? ''
    assert.notEqual(address, '')
    const config = JSON.parse(readFileSync(path, 'utf8')) as { readonly monitoring: object }
    writeFileSync(path, JSON.stringify({ ...config, monitoring: { ...config.monitoring, scrapeSeconds } }))
    // It stays without the flag, at the same address, and a changed configuration replaces it.
    assert.ok((await up()).includes(address))
    await eventually(
      async () =>
        (
          await fetch(`${address}/api/v1/status/config`).then(
            (answer) => answer.text(),
            () => '',
          )
        ).includes(`scrape_interval: ${scrapeSeconds}s`),
      () => `${address} does not answer with the new configuration`,
    )
    const { stdout } = await machine.steadyvm('status')
    assert.ok(stdout.includes(`Prometheus at ${address}\n`), stdout)
    assert.match(stdout, /^prometheus +node-1 /m)
  })

  test('scrapes all components over HTTPS, with the token of a service account', async () => {
    interface Target {
      readonly scrapeUrl: string
      readonly health: string
      readonly lastError: string
      readonly labels: Readonly<Record<string, string>>
    }
    const pods = await machine.kubectl(['get', 'pods', '-n', 'kubevirt', '-l', `kubevirt.io in (${components.join()})`, '-o', 'name'])
    const count = pods.trim().split('\n').length + 1
    let targets: readonly Target[] = []
    await eventually(
      async () => {
        ;({ activeTargets: targets } = await ask<{ readonly activeTargets: readonly Target[] }>('targets'))
        return targets.length === count && targets.every(({ health }) => health === 'up')
      },
      () => JSON.stringify(targets),
    )
    assert.deepEqual(new Set(targets.map(({ labels }) => labels['container'] ?? labels['job'])), new Set(['apiserver', ...components]))
    for (const { scrapeUrl } of targets) assert.match(scrapeUrl, /^https:/)
  })

  test('answers the queries of all dashboards', async (context) => {
    await machine.kubectl(['create', '-f', '-'], powerButtonVirtualMachine(machine, 'watched'))
    await machine.kubectl(['wait', 'vm/watched', '--for=condition=Ready'])
    const queries: readonly (Query & { readonly place: string })[] = dashboards.flatMap(({ name, isOfOneGuest = false, rows }) =>
      rows.flatMap(({ panels }) =>
        panels.flatMap((panel) =>
          panel.queries.map((query) => ({
            ...query,
            place: `${name}, ${panel.title}`,
            expr: query.expr
              .replaceAll('$__rate_interval', `${rateSeconds}s`)
              .replaceAll('$namespace', isOfOneGuest ? machine.namespace : '.*')
              .replaceAll('$name', 'watched')
              .replaceAll('$node', '.*'),
          })),
        ),
      ),
    )
    assert.ok(queries.length > 100)
    let empty: readonly string[] = []
    await eventually(
      async () => {
        const answers = await Promise.all(queries.map(async ({ expr }) => evaluate(expr)))
        const hasData = answers.map((answer) => answer.some(({ value: [, text] }) => text !== 'NaN'))
        empty = queries
          .filter(({ expr, mayBeEmpty }, index) => mayBeEmpty === undefined && hasData[index] !== true && !isOfOthers(expr))
          .map(({ place, expr }) => `${place}: ${expr}`)
        context.diagnostic(`${queries.length} queries, ${hasData.filter(Boolean).length} of them with data`)
        return empty.length === 0
      },
      () => `no data for ${empty.join('\n')}`,
      60_000,
    )
    const [guest] = await evaluate('kubevirt_vmi_info{name="watched"}')
    assert.equal(guest?.metric['namespace'], machine.namespace)
    assert.equal(guest.metric['phase'], 'running')
  })

  test('evaluates the rules, and no alert fires', async () => {
    interface Group {
      readonly rules: readonly { readonly name: string; readonly type: string; readonly health: string; readonly lastError?: string }[]
    }
    const rules = (await ask<{ readonly groups: readonly Group[] }>('rules')).groups.flatMap(({ rules: own }) => own)
    assert.ok(rules.filter(({ type }) => type === 'alerting').length > 20)
    for (const { name, health, lastError } of rules) assert.equal(health, 'ok', `${name}: ${lastError ?? ''}`)
    const ready = 'cluster:kubevirt_virt_controller_ready:sum'
    await eventually(
      async () => Number((await evaluate(ready))[0]?.value[1]) > 0,
      () => `${ready} is 0`,
      60_000,
    )
    const { alerts } = await ask<{ readonly alerts: readonly { readonly state: string; readonly labels: object }[] }>('alerts')
    assert.deepEqual(
      alerts.filter(({ state }) => state === 'firing'),
      [],
    )
  })

  test('ends with the cluster, or when it is not wanted any more', onlyHere, async () => {
    assert.ok(isRunning())
    assert.equal((await machine.steadyvm('down', '--timeout', '0')).code, 0)
    assert.ok(!isRunning())
    assert.doesNotMatch(await up('--no-monitoring'), /Prometheus/)
    await eventually(
      () => !isRunning(),
      () => 'Prometheus does not end',
    )
    assert.equal((await machine.tryKubectl(['get', 'deployment/prometheus', '-n', 'kubevirt'])).code, 1)
    assert.ok(existsSync(join(machine.home, 'monitoring', 'data')))
  })
})

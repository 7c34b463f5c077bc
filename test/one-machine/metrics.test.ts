import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text as textOf } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { cdiMetrics, kubeVirtMetrics, type UpstreamMetric } from '../../tools/generate/reference/compatibility/kubevirt-metrics.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, type KubeJson, type TestMachine } from '../support/machine.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { defaultProvisioner } from '../support/place.ts'
import { reportedMetrics } from '../support/reported-metrics.ts'
import { useNamespace } from '../support/namespaces.ts'

const components = ['virt-api', 'virt-controller', 'virt-handler', 'virt-operator'] as const

/** A metric as a component shows it. */
interface Shown {
  readonly type: string
  /** Names of the labels of each series, sorted. */
  readonly labels: readonly string[]
}

/** Reads the text of a scrape. */
function parseScrape(text: string): Map<string, Shown> {
  const shown = new Map<string, Shown & { labels: string[] }>()
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) shown.set(name, { type, labels: [] })
  for (const [, series = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const names = [...labels.matchAll(/(?:^|,)(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, name = '']) => name).filter((name) => name !== 'le')
    shown.get(series.replace(/_(bucket|sum|count)$/, ''))?.labels.push(names.toSorted().join())
    shown.get(series)?.labels.push(names.toSorted().join())
  }
  return shown
}

suite('the metrics of a running system', { skip: noKubectl }, () => {
  let machine: TestMachine
  let token: string
  before(async () => {
    machine = await useNamespace()
    await machine.kubectl(['create', 'serviceaccount', 'scraper'])
    const account = `--serviceaccount=${machine.namespace}:scraper`
    await machine.kubectl(['create', 'clusterrolebinding', `scraper-${machine.namespace}`, '--clusterrole=system:monitoring', account])
    token = (await machine.kubectl(['create', 'token', 'scraper'])).trim()
  })
  after(async () => {
    await machine.kubectl(['delete', 'clusterrolebinding', `scraper-${machine.namespace}`])
    await machine[Symbol.asyncDispose]()
  })

  interface Answer {
    readonly status: number
    readonly text: string
  }

  async function ask(host: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    // The certificate is for the name of the component, as in KubeVirt.
    const asked = request({ host, port: 8443, path: '/metrics', rejectUnauthorized: false, headers }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, text: await textOf(answer) }
  }

  async function addressesOf(component: string): Promise<readonly string[]> {
    const { items } = await machine.getJson('pods', '-n', 'kubevirt', '-l', `kubevirt.io=${component}`)
    return (items as unknown as readonly KubeJson[]).flatMap(({ status }) => (status?.['podIP'] as unknown as string) ?? [])
  }

  async function scrape(component: string): Promise<string> {
    const answers = await Promise.all((await addressesOf(component)).map((host) => ask(host, { authorization: `Bearer ${token}` })))
    for (const { status, text } of answers) assert.equal(status, 200, text)
    return answers.map(({ text }) => text).join('\n')
  }

  test('are told to those only whose token may read them', async () => {
    await machine.kubectl(['create', 'serviceaccount', 'curious'])
    const curious = (await machine.kubectl(['create', 'token', 'curious'])).trim()
    for (const component of components) {
      const [host = ''] = await addressesOf(component)
      const statuses = []
      for (const headers of [{}, ...['made-up', curious, token].map((one) => ({ authorization: `Bearer ${one}` }))])
        statuses.push((await ask(host, headers)).status)
      assert.deepEqual(statuses, [401, 401, 403, 200], component)
    }
  })

  test('have the names, types and labels of KubeVirt and CDI that the list of compatibility claims', async () => {
    const vm = JSON.parse(powerButtonVirtualMachine(machine, 'scraped')) as { readonly metadata: object }
    const own = { ...vm, metadata: { ...vm.metadata, namespace: machine.namespace } }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(own))
    await machine.kubectl(['wait', 'vm/scraped', '--for=condition=Ready', '--timeout=60s'])
    const reported = reportedMetrics()
    const claimed = [...kubeVirtMetrics, ...cdiMetrics].filter(({ name }) => reported.has(name))
    assert.ok(claimed.length > 60)
    // virt-controller asks whether the cluster runs CDI at the first scrape.
    await scrape('virt-controller')
    const shown = new Map<string, Map<string, Shown>>()
    for (const component of components) shown.set(component, parseScrape(await scrape(component)))
    const wrong = claimed.flatMap((metric) => differences(metric, shown))
    assert.deepEqual(wrong, [])
  })

  test('tell of the guest, its start and the system', async () => {
    const own = `"scraped",namespace="${machine.namespace}"`
    let text = ''
    const lacking = (): readonly RegExp[] =>
      [
        new RegExp(`^kubevirt_vm_info\\{name=${own},.*status="running",status_group="running"\\} 1$`, 'm'),
        new RegExp(
          `^kubevirt_vmi_info\\{node="\\S+",namespace="${machine.namespace}",name="scraped",phase="running",.*vmi_pod="virt-launcher-scraped-\\w+"\\} 1$`,
          'm',
        ),
        new RegExp(`^kubevirt_vm_running_status_last_transition_timestamp_seconds\\{name=${own}\\} [1-9]\\d+$`, 'm'),
        new RegExp(
          `^kubevirt_vm_resource_requests\\{name=${own},resource="memory",unit="bytes",source="guest_effective"\\} [1-9]\\d+$`,
          'm',
        ),
        /^kubevirt_vmi_phase_transition_time_from_creation_seconds_count\{phase="Running"\} [1-9]/m,
        /^kubevirt_virt_controller_leading_status 1$/m,
        /^kubevirt_virt_(api|handler|operator)_ready_status 1$/m,
        /^kubevirt_info\{goversion="node\S+",kubeversion="v\S+"\} 1$/m,
        new RegExp(`^kubevirt_vm_labels\\{name=${own},label_app="scraped"\\} 1$`, 'm'),
        new RegExp(`^kubevirt_vm_created_by_pod_total\\{namespace="${machine.namespace}"\\} [1-9]`, 'm'),
        new RegExp(`^kubevirt_vmi_sync_total\\{namespace="${machine.namespace}",name="scraped"\\} [1-9]`, 'm'),
        new RegExp(`^kubevirt_cdi_storageprofile_info\\{.*provisioner="${defaultProvisioner}",complete="(true|false)",default="true"`, 'm'),
      ].filter((line) => !line.test(text))
    await eventually(
      async () => {
        text = (await Promise.all(components.map(scrape))).join('\n')
        return lacking().length === 0
      },
      () => lacking().join('\n'),
    )
  })
})

/** Returns what is wrong with a metric on the components that should report it. */
function differences({ name, type, by, labels }: UpstreamMetric, shown: ReadonlyMap<string, ReadonlyMap<string, Shown>>): string[] {
  return components.flatMap((component) => {
    if (by !== component && by !== 'every') return []
    // virt-api has no queue.
    if (component === 'virt-api' && name.startsWith('kubevirt_workqueue_')) return []
    const found = shown.get(component)?.get(name)
    // What guests tell has other labels for each of them, and is shown where one tells it.
    if (found === undefined) return labels === undefined ? [] : [`${component} has no ${name}`]
    const expected = labels?.toSorted().join()
    const others = new Set(found.labels.filter((one) => expected !== undefined && one !== expected))
    return [
      ...(found.type === type ? [] : [`${name} of ${component} is a ${found.type}, and not a ${type}`]),
      ...[...others].map((one) => `${name} of ${component} has the labels ${one}, and not ${expected}`),
    ]
  })
}

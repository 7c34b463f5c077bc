import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder } from '../cache.ts'
import { findOnPath } from '../kubectl.ts'
import { eventually, type KubeJson, type TestMachine } from '../machine.ts'
import { addressForPods } from '../place.ts'
import { createPrometheusKinds, monitoringSpec, monitorKind, removePrometheusKinds, ruleKind } from './prometheus-kinds.ts'

/** Folder of the Prometheus that `tools/setup.mjs --test` has fetched. */
export const prometheusFolder: string = join(cacheFolder, 'prometheus', 'usr', 'bin')
const program = findOnPath('prometheus') ?? [join(prometheusFolder, 'prometheus')].find(existsSync)
/** Why tests with Prometheus are skipped, or false. */
export const noPrometheus: string | false = program === undefined && 'there is no Prometheus: run "node tools/setup.mjs --test"'

/** A Prometheus of the test. */
export interface TestPrometheus extends AsyncDisposable {
  /** `http://127.0.0.1:1234` */
  readonly url: string
}

interface ServiceMonitorSpec {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> }
  readonly namespaceSelector: { readonly matchNames: readonly string[] }
  readonly endpoints: readonly {
    readonly port: string
    readonly scheme: string
    readonly honorLabels: boolean
    readonly tlsConfig: { readonly insecureSkipVerify: boolean }
  }[]
}

interface EndpointSlice {
  readonly ports: readonly { readonly name: string; readonly port: number }[]
  readonly endpoints: readonly { readonly addresses: readonly string[]; readonly targetRef: { readonly name: string } }[]
}

const account = { namespace: 'monitoring', name: 'prometheus-k8s' }

/**
 * Starts Prometheus beside a cluster, as its operator would: it is told by our ServiceMonitor and
 * PrometheusRule, finds the components with the rights that virt-operator has given to its service
 * account, and proves by the token of that account who it is. Debian's Prometheus cannot ask an API
 * server, so that this does for it what its operator writes as `kubernetes_sd_configs`.
 */
export async function startPrometheus(machine: TestMachine, scrapeSeconds: number): Promise<TestPrometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
  await createPrometheusKinds(machine)
  const monitor = (await monitoringSpec(machine, monitorKind, account.namespace)) as unknown as ServiceMonitorSpec
  await writeFile(join(folder, 'rules.json'), JSON.stringify(await monitoringSpec(machine, ruleKind, 'kubevirt')))
  await writeFile(join(folder, 'token'), (await machine.kubectl(['create', 'token', account.name, '-n', account.namespace])).trim())
  await writeFile(join(folder, 'ca.crt'), machine.credentials('admin').ca)
  const authorization = { credentials_file: 'token' }
  const apiServer = `${await addressForPods(machine.kubeconfig)}:6443`
  const configuration = {
    global: { scrape_interval: `${scrapeSeconds}s`, scrape_timeout: `${scrapeSeconds}s`, evaluation_interval: `${scrapeSeconds}s` },
    rule_files: ['rules.json'],
    scrape_configs: [
      ...(await Promise.all(
        monitor.endpoints.map(async ({ port, scheme, honorLabels, tlsConfig }) => ({
          job_name: `serviceMonitor/${port}`,
          scheme,
          authorization,
          honor_labels: honorLabels,
          tls_config: { insecure_skip_verify: tlsConfig.insecureSkipVerify },
          static_configs: await targetsOf(machine, monitor, port),
        })),
      )),
      {
        job_name: 'apiserver',
        scheme: 'https',
        authorization,
        tls_config: { ca_file: 'ca.crt' },
        static_configs: [{ targets: [apiServer], labels: { namespace: 'kubevirt' } }],
      },
    ],
  }
  await writeFile(join(folder, 'prometheus.json'), JSON.stringify(configuration))
  const address = `127.0.0.1:${await freePort()}`
  const flags = { 'config.file': 'prometheus.json', 'storage.tsdb.path': 'data', 'web.listen-address': address, 'log.level': 'warn' }
  const child = spawn(
    program ?? '',
    Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const url = `http://${address}`
  await eventually(
    () => {
      assert.equal(child.exitCode, null, printed)
      return fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    },
    () => printed,
    60_000,
  )
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
      await rm(folder, { recursive: true, force: true })
      await removePrometheusKinds(machine)
    },
  }
}

/** Finds what a ServiceMonitor selects, with the labels that the Prometheus operator gives. */
async function targetsOf(machine: TestMachine, monitor: ServiceMonitorSpec, port: string): Promise<readonly object[]> {
  const as = [`--as=system:serviceaccount:${account.namespace}:${account.name}`]
  const selector = Object.entries(monitor.selector.matchLabels).map(([key, value]) => `${key}=${value}`)
  const targets: object[] = []
  for (const namespace of monitor.namespaceSelector.matchNames) {
    const list = async (kind: string, ...labels: readonly string[]): Promise<readonly KubeJson[]> =>
      ((await machine.getJson(kind, '-n', namespace, ...as, '-l', labels.join())) as unknown as { items: readonly KubeJson[] }).items
    for (const { metadata } of (await list('services', ...selector)) as unknown as readonly { metadata: { name: string } }[]) {
      const slices = await list('endpointslices', `kubernetes.io/service-name=${metadata.name}`)
      for (const { ports, endpoints } of slices as unknown as readonly EndpointSlice[])
        for (const { port: number } of ports.filter(({ name }) => name === port))
          for (const { addresses, targetRef } of endpoints) {
            const container = targetRef.name.split('-').slice(0, 2).join('-')
            const labels = { namespace, service: metadata.name, endpoint: port, pod: targetRef.name, container }
            targets.push({ targets: addresses.map((address) => `${address}:${number}`), labels })
          }
    }
  }
  return targets
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

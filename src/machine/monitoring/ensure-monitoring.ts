import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { MachineConfig } from '../home/config.ts'
import type { DataDirectory } from '../home/data-directory.ts'
import { replaceFile } from '../home/write-file.ts'
import { pkiPaths } from '../pki/pki.ts'
import type { Release } from '../release/release.ts'
import { monitoringObjects, type MonitoringOptions } from './monitoring-objects.ts'
import { prometheusConfig } from './prometheus-config.ts'

/** Seconds between two scrapes, as KubeVirt's ServiceMonitor and the dashboards expect. */
const defaultScrapeSeconds = 30
/** Rules that need no kube-state-metrics, in a release. */
const machineRules = 'manifests/machine-rules.generated.json'

/** Dependencies and settings of {@link ensureMonitoring}. */
export interface EnsureMonitoringOptions {
  readonly client: Pick<Client, 'patch'>
  readonly directory: DataDirectory
  readonly release: Release
  readonly config: MachineConfig
  /** Path of Prometheus. */
  readonly program: string
}

/** Returns the address of Prometheus; undefined where it is not asked for. */
export function monitoringAddress({ monitoring }: MachineConfig): string | undefined {
  return monitoring === undefined ? undefined : `127.0.0.1:${monitoring.port}`
}

/**
 * Writes the configuration of Prometheus, and creates what runs it, or brings it up to date.
 * Idempotent: an unchanged configuration restarts nothing.
 */
export async function ensureMonitoring(options: EnsureMonitoringOptions): Promise<void> {
  const { client, directory, release, config, program } = options
  const address = monitoringAddress(config)
  if (address === undefined) return
  const folder = directory.monitoring
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const ruleFile = 'rules.json'
  const rules = join(release.root, machineRules)
  await copyFile(rules, join(folder, ruleFile))
  const scrape = prometheusConfig({
    apiPort: config.apiPort,
    caFile: pkiPaths(directory.pki).ca.certificate,
    ruleFile,
    scrapeSeconds: config.monitoring?.scrapeSeconds ?? defaultScrapeSeconds,
  })
  const text = `${JSON.stringify(scrape, null, 2)}\n`
  await replaceFile(join(folder, 'prometheus.json'), text, 0o600)
  const settings: MonitoringOptions = {
    release,
    program,
    folder,
    address,
    configuration: text + (await readFile(rules, 'utf8')),
    node: config.nodes[0] ?? '',
  }
  for (const { resource, object } of monitoringObjects(settings))
    await client.patch(resource, keyOf(object), { type: 'apply', body: object, fieldManager: 'steadyvm', force: true })
}

/** Ends Prometheus, and keeps its data. Idempotent. */
export async function removeMonitoring(client: Pick<Client, 'delete'>, release: Release): Promise<void> {
  const nothing = { release, program: '', folder: '', address: '', configuration: '', node: '' }
  for (const { resource, object } of monitoringObjects(nothing).toReversed())
    await client.delete(resource, keyOf(object)).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
}

function keyOf({ metadata: { name, namespace } }: ReturnType<typeof monitoringObjects>[number]['object']): {
  readonly name: string
  readonly namespace?: string
} {
  return namespace === undefined ? { name } : { namespace, name }
}

import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { services } from '#api/core/v1/resources.ts'
import { endpointSlices } from '#api/discovery/v1/resources.ts'
import { createController } from '#runtime/controller/controller.ts'
import { recheckIn, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { channelSource, watchResource } from '#runtime/controller/source.ts'
import { replaceWatchedFile, runInNetworkNamespace } from '#runtime/network/network-namespace.ts'
import { readIfThere } from '#runtime/process/replace-file.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { serviceRules } from './service-rules.ts'

/** Options of the controller. */
export interface PodNetworkControllerOptions extends ControllerOptions {
  /** Folder of the pod network: `namespace`, and `hosts`, which its DNS server reads. */
  readonly directory: string
  /** First two numbers of the network's addresses. */
  readonly prefix: string
}

/** Milliseconds between looks for a network that is not set up yet. */
const setUpRetryMs = 500
/** Milliseconds between looks for another network, which has no rules. */
const renewalCheckMs = 5_000
/** Begins the names of the files in `hosts` that this controller owns. */
const owned = 'service.'
const all: Request = { namespace: '', name: 'services' }

/**
 * Makes services reachable in the pod network, as kube-proxy and CoreDNS do on a cluster. All
 * services are one reconcile: their rules are replaced together.
 */
export function createPodNetworkController({ informers, clock, log, directory, prefix }: PodNetworkControllerOptions): Runnable {
  const serviceCache = informers.informer(services)
  const sliceCache = informers.informer(endpointSlices)
  const hosts = join(directory, 'hosts')
  // The number of the network's namespace, and the rules.
  let applied = ''
  const reconciler: Reconciler = async () => {
    const number = await readIfThere(join(directory, 'ready'))
    if (number === undefined) return recheckIn(setUpRetryMs)
    const wanted = serviceRules(serviceCache.list(), sliceCache.list(), prefix)
    if (number + wanted.rules !== applied) await runInNetworkNamespace(join(directory, 'namespace'), ['nft', '-f', '-'], wanted.rules)
    applied = number + wanted.rules
    await writeHosts(hosts, wanted.hosts)
    return recheckIn(renewalCheckMs)
  }
  // Triggers the first reconcile, which no event would.
  const start = channelSource()
  const here = (): readonly Request[] => [all]
  const sources = [start, watchResource(serviceCache, here), watchResource(sliceCache, here)]
  start.enqueue(all)
  return createController({ name: 'pod-network-services', reconciler, sources, clock, log })
}

async function writeHosts(folder: string, wanted: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, content] of wanted) {
    const path = join(folder, owned + name)
    if ((await readFile(path, 'utf8').catch(() => '')) === content) continue
    await replaceWatchedFile(path, content)
  }
  for (const name of await readdir(folder))
    if (name.startsWith(owned) && !wanted.has(name.slice(owned.length))) await rm(join(folder, name), { force: true })
}

import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { namespaces, pods } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { networkPolicies } from '#api/networking/v1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { CacheEvent } from '#runtime/cache/lister.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { channelSource, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { NetworkCommandFailed, runInNetworkNamespace } from '#runtime/network/network-namespace.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { PodNetworkControllerOptions } from '../pod-network/pod-network-controller.ts'
import { createAnnouncer } from './announcer.ts'
import { compilePolicies } from './compile/compile-policies.ts'
import { filterTable, type FilterTable } from './nftables/filter-table.ts'
import { openGuests, openTransaction } from './nftables/open-guests.ts'
import { transaction } from './nftables/transaction.ts'

/** Options of the controller. */
export interface NetworkPolicyControllerOptions extends PodNetworkControllerOptions {
  readonly recorder: Recorder
}

/** Milliseconds between looks for a network that is not set up yet. */
const setUpRetryMs = 500
const all: Request = { namespace: '', name: 'policies' }

/** What the last transaction has left. */
interface Applied {
  /** Inode of the network namespace: a new one is empty. */
  readonly namespace: number
  readonly table: FilterTable
  readonly open: readonly string[]
}

/**
 * Filters the traffic of guests by NetworkPolicies. All policies are one reconcile, which writes
 * what has changed in one transaction of nft. What it has written stays when the process ends; a
 * new process writes everything again.
 */
export function createNetworkPolicyController(options: NetworkPolicyControllerOptions): Runnable {
  const { informers, clock, log, directory, prefix, recorder } = options
  const policyCache = informers.informer(networkPolicies)
  const podCache = informers.informer(pods)
  const namespaceCache = informers.informer(namespaces)
  const announce = createAnnouncer(recorder)
  let applied: Applied | undefined
  const reconciler: Reconciler = async () => {
    if (!existsSync(join(directory, 'ready'))) return recheckIn(setUpRetryMs)
    const policies = policyCache.list()
    const filter = compilePolicies({ policies, pods: podCache.list(), namespaces: namespaceCache.list(), prefix })
    const namespace = join(directory, 'namespace')
    const wanted: Applied = { namespace: (await stat(namespace)).ino, table: filterTable(filter), open: openGuests(filter) }
    if (applied?.namespace !== wanted.namespace) applied = undefined
    const commands = transaction(applied?.table, wanted.table) + openTransaction(applied?.open, wanted.open)
    try {
      if (commands !== '') await runInNetworkNamespace(namespace, ['nft', '-f', '-'], commands)
    } catch (error) {
      // The table may have been changed by others.
      applied = undefined
      if (error instanceof NetworkCommandFailed) announce.failure(policies, error.message)
      throw error
    }
    applied = wanted
    announce.success(policies, filter)
    return done
  }
  // Triggers the first reconcile, which no event would.
  const start = channelSource()
  const here = (): readonly Request[] => [all]
  const sources = [
    start,
    watchResource(policyCache, here),
    watchResource(podCache, here, { predicate: changesGuests }),
    watchResource(namespaceCache, here),
  ]
  start.enqueue(all)
  return createController({ name: 'network-policies', reconciler, sources, clock, log })
}

/** Most updates of pods change nothing that policies select by. */
function changesGuests(event: CacheEvent<Pod>): boolean {
  if (event.type !== 'updated') return true
  const part = ({ metadata, status }: Pod): unknown => [metadata.labels, status?.podIP, status?.phase]
  return !deepEqual(part(event.object), part(event.old))
}

import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { chooseKubeVirt, toClusterConfig } from '#features/cluster-config/index.ts'
import { revisionFormatOf } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { createInspector } from '../assessment/inspect-revision.ts'
import { examine } from '../assessment/report.ts'
import { createTransientFilter } from './transient-findings.ts'
import { decide, summarize } from './summary.ts'
import type { RevisionCount, RevisionInventory } from '../types.ts'

/** What the reconciler needs from the cluster. */
export interface Ports {
  readonly client: Pick<Client, 'patch'>
  readonly kubevirts: Lister<KubeVirt>
  /** What the caches hold at this moment. */
  readonly cluster: () => RevisionInventory
  readonly clock: Clock
  /** Told how many there are, at every look. */
  readonly onCounts: (counts: readonly RevisionCount[]) => void
}

/**
 * Milliseconds between two looks at everything; thirty times as long as a look takes, when that is
 * more: others need the time, too.
 */
const pauseMs = 2_000
/** Milliseconds after which what one cache says and another does not is taken for true. */
const lastsMs = 5_000

/** Keeps the KubeVirt object's summary of all revisions true. */
export function createRevisionSummaryReconciler({ client, kubevirts, cluster, clock, onCounts }: Ports): Reconciler {
  const inspect = createInspector()
  const settle = createTransientFilter(lastsMs)
  let nextMs = 0
  return async ({ namespace, name }, { signal }) => {
    const kubevirt = kubevirts.get(namespace, name)
    if (kubevirt === undefined || chooseKubeVirt(kubevirts.list()) !== kubevirt) return done
    const nowMs = clock.now()
    if (nowMs < nextMs) return recheckIn(nextMs - nowMs)
    const format = revisionFormatOf(toClusterConfig(kubevirt))
    const { judged, counts, findings: all } = examine(cluster(), { format, nowMs, kubevirt: { namespace, name }, inspect })
    nextMs = nowMs + Math.max(pauseMs, 30 * (clock.now() - nowMs))
    onCounts(counts)
    const { findings, recheckInMs } = settle(all, nowMs)
    const found = { format, total: judged.length, counts, findings }
    const status = decide(kubevirt, summarize(found, kubevirt.metadata.generation), timestamp(nowMs))
    if (status !== undefined) await write(client, kubevirt, status, signal)
    return recheckInMs === undefined ? done : recheckIn(recheckInMs)
  }
}

/**
 * The resourceVersion keeps the conditions of others: a lost race is a conflict, which is tried
 * again.
 */
async function write(client: Ports['client'], { metadata }: KubeVirt, status: object, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', resourceVersion } = metadata
  const body = { metadata: { resourceVersion }, status }
  try {
    await client.patch(kubeVirts, { namespace, name }, { type: 'merge', body }, { subresource: 'status', signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

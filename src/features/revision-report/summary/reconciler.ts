import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { chooseKubeVirt, toClusterConfig } from '#features/cluster-config/index.ts'
import { revisionFormatOf } from '#features/instancetype/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { createInspector } from '../assessment/inspect-revision.ts'
import { examine } from '../assessment/report.ts'
import { createTransientFilter } from './transient-findings.ts'
import { decide, summarize } from './summary.ts'
import type { RevisionCount, RevisionInventory } from '../types.ts'

/** Dependencies of the reconciler. */
export interface Ports {
  readonly client: Pick<Client, 'patch'>
  readonly kubevirts: Lister<KubeVirt>
  /** Returns the contents of the caches. */
  readonly cluster: () => RevisionInventory
  readonly clock: Clock
  /** Called with the counts in each pass. */
  readonly onCounts: (counts: readonly RevisionCount[]) => void
}

/**
 * Minimum milliseconds between two passes; thirty times the duration of a pass if that is longer,
 * which limits the summary to 3 % of a core.
 */
const pauseMs = 2_000
/** Milliseconds for which a state must last that depends on several caches. */
const lastsMs = 5_000

/** Keeps the summary of revisions in the KubeVirt status up to date. */
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
    const summary = summarize({ format, total: judged.length, counts, findings }, kubevirt.metadata.generation)
    const status = decide(kubevirt, summary, timestamp(nowMs))
    if (status !== undefined) await found(patchStatus(client, kubeVirts, kubevirt, status, { signal }))
    return recheckInMs === undefined ? done : recheckIn(recheckInMs)
  }
}

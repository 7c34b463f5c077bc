import type { Pod } from '#api/core/v1/pod.ts'
import type { KubeVirt, UpgradeRecord } from '#api/kubevirt/v1/kubevirt.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { spanIdOf, upgradeSpanId } from '#runtime/tracing/span-id.ts'
import { createSpanReporter } from '#runtime/tracing/span-reporter.ts'
import { tracing, type RecordedSpan } from '#runtime/tracing/tracing.ts'
import { componentNames } from '../manifests/install-strategy.ts'

/**
 * Milliseconds for which a restarted operator reports an upgrade again that is complete: its last
 * spans may have been lost with the process. Backends keep one of spans with the same id.
 */
const reportedAgainMs = 3_600_000

/** Reports upgrades as traces: a span for the upgrade, for each stage and for each node. */
export interface UpgradeTracer {
  /** `pods`: those of the components. */
  report(kubevirt: KubeVirt, pods: readonly Pod[], nowMs: number): void
}

/** Creates a tracer, which reports each span once. */
export function createUpgradeTracer(): UpgradeTracer {
  const reportOnce = createSpanReporter()
  return {
    report({ status }, pods, nowMs) {
      const record = status?.steadyvm?.lastUpgrade
      if (!tracing().isOn || record === undefined) return
      if (record.completedAt !== undefined && nowMs - Date.parse(record.completedAt) > reportedAgainMs) return
      reportOnce(spansOfUpgrade(record, pods))
    },
  }
}

/**
 * Returns the spans of all parts of an upgrade that are over, derived from its record alone, so
 * that they are the same in each process. The times are those of the record: whole seconds. Pure.
 */
export function spansOfUpgrade(record: UpgradeRecord, pods: readonly Pod[]): RecordedSpan[] {
  const { traceID: traceId, from, to, startedAt, completedAt, failure, stages } = record
  const root = upgradeSpanId(traceId)
  const attributes = { 'steadyvm.upgrade.from': from, 'steadyvm.upgrade.to': to }
  const idOf = (stage: string, at: string): string => spanIdOf(traceId, 'stage', stage, at)
  const whole: RecordedSpan[] =
    completedAt === undefined
      ? []
      : [
          {
            name: from === '' ? 'install' : 'upgrade',
            traceId,
            spanId: root,
            startMs: Date.parse(startedAt),
            endMs: Date.parse(completedAt),
            attributes,
            ...(failure === undefined ? {} : { failure }),
          },
        ]
  const ofStages = stages.flatMap(({ stage, startedAt: at, endedAt }): RecordedSpan[] =>
    endedAt === undefined
      ? []
      : [
          {
            name: `stage ${stage}`,
            traceId,
            spanId: idOf(stage, at),
            parentId: root,
            startMs: Date.parse(at),
            endMs: Date.parse(endedAt),
            attributes: { ...attributes, 'steadyvm.upgrade.stage': stage },
          },
        ],
  )
  const rollout = stages.find(({ stage, endedAt }) => (stage === 'NodeAgents' || stage === 'Install') && endedAt !== undefined)
  const ofNodes = pods.flatMap((pod): RecordedSpan[] => {
    const { uid = '', name = '', labels = {}, creationTimestamp = '' } = pod.metadata
    const ready = findCondition(pod.status?.conditions, 'Ready')
    const [startMs, endMs] = [Date.parse(creationTimestamp), Date.parse(ready?.lastTransitionTime ?? '')]
    const isAgent = labels['kubevirt.io'] === componentNames.agent && labels['app.kubernetes.io/version'] === to
    // Agents that were there before were replaced in no stage of this upgrade.
    if (rollout === undefined || !isAgent || ready?.status !== 'True' || !(startMs >= Date.parse(startedAt)) || Number.isNaN(endMs))
      return []
    return [
      {
        name: 'replace node agent',
        traceId,
        spanId: spanIdOf(traceId, 'node', uid),
        parentId: idOf(rollout.stage, rollout.startedAt),
        startMs,
        endMs,
        attributes: { ...attributes, 'k8s.node.name': pod.spec?.nodeName ?? '', 'k8s.pod.name': name },
      },
    ]
  })
  return [...whole, ...ofStages, ...ofNodes]
}

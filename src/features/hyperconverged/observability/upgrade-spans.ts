import type { PlatformUpgrade, UpgradePatchRecord } from '#api/hco/v1/status.ts'
import type { UpgradeRecord } from '#api/kubevirt/v1/kubevirt.ts'
import { spanIdOf, traceIdOf, upgradeSpanId } from '#runtime/tracing/span-id.ts'
import type { RecordedSpan } from '#runtime/tracing/tracing.ts'

/** An upgrade of the platform, and what its trace is. */
export interface TracedUpgrade {
  /** UID of the HyperConverged object. */
  readonly uid: string
  readonly upgrade: PlatformUpgrade
  /** The last upgrade of KubeVirt. Undefined: it has recorded none. */
  readonly ofKubeVirt: UpgradeRecord | undefined
}

/**
 * Milliseconds for which a restarted operator reports an upgrade again that is complete: its spans
 * may have been lost with the process.
 */
const reportedAgainMs = 3_600_000

/**
 * Returns the spans of an upgrade of the platform that is complete: one for the whole, and one for
 * each patch below it. They are in the trace of KubeVirt's upgrade when that is a part of it, and
 * in a trace of their own otherwise. Derived from stored objects alone, so that they are the same
 * in each process. Pure.
 */
export function spansOfPlatformUpgrade({ uid, upgrade, ofKubeVirt }: TracedUpgrade, nowMs: number): RecordedSpan[] {
  const { from, to, startedAt, completedAt, stage, patches = [] } = upgrade
  if (completedAt === undefined || nowMs - Date.parse(completedAt) > reportedAgainMs) return []
  const isPart = ofKubeVirt?.to === to && (ofKubeVirt.completedAt ?? completedAt) >= startedAt
  const traceId = isPart ? ofKubeVirt.traceID : traceIdOf(uid, from, to, startedAt)
  const spanId = isPart ? spanIdOf(traceId, 'platform', uid) : upgradeSpanId(traceId)
  const attributes = { 'steadyvm.upgrade.from': from, 'steadyvm.upgrade.to': to }
  const whole: RecordedSpan = {
    name: 'upgrade platform',
    traceId,
    spanId,
    ...(isPart ? { parentId: upgradeSpanId(traceId) } : {}),
    startMs: Date.parse(startedAt),
    endMs: Date.parse(completedAt),
    attributes,
    ...(stage === 'Abandoned' ? { failure: `the operator of ${from} was installed again` } : {}),
  }
  const spanOf = ({ id, result, decidedAt = startedAt, reason, changes = [] }: UpgradePatchRecord): RecordedSpan => ({
    name: `patch ${id}`,
    traceId,
    spanId: spanIdOf(traceId, 'patch', id),
    parentId: spanId,
    startMs: Date.parse(decidedAt),
    endMs: Date.parse(decidedAt),
    attributes: {
      ...attributes,
      'steadyvm.patch.id': id,
      'steadyvm.patch.result': result,
      'steadyvm.patch.fields': changes.map(({ path }) => path).join(' '),
      ...(reason === undefined ? {} : { 'steadyvm.patch.reason': reason }),
    },
  })
  return [whole, ...patches.filter(({ version }) => version === to).map(spanOf)]
}

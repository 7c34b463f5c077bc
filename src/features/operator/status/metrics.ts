import type { KubeVirtStatus } from '#api/kubevirt/v1/kubevirt.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { phases } from '../rollout/decide.ts'

/**
 * Defines metrics of the upgrade's phase and duration. Only the current phase has a duration
 * series.
 */
export function defineUpgradeMetrics(
  metrics: Pick<Metrics, 'gaugeFrom'>,
  { clock, status }: { readonly clock: Pick<Clock, 'now'>; readonly status: () => KubeVirtStatus | undefined },
): void {
  const upgrade = (): NonNullable<KubeVirtStatus['steadyvm']>['upgrade'] => status()?.steadyvm?.upgrade
  metrics.gaugeFrom(
    { name: 'steadyvm_upgrade_stage', help: '1 for the stage that an upgrade of the system is in, 0 for all others', labels: ['stage'] },
    () => phases.map((stage) => [{ stage }, upgrade()?.stage === stage ? 1 : 0] as const),
  )
  metrics.gaugeFrom(
    { name: 'steadyvm_upgrade_stage_seconds', help: 'For how long an upgrade of the system has been in its stage', labels: ['stage'] },
    () => {
      const { stage, stageStartedAt } = upgrade() ?? {}
      return stage === undefined || stageStartedAt === undefined
        ? []
        : [[{ stage }, Math.max(0, (clock.now() - Date.parse(stageStartedAt)) / 1000)] as const]
    },
  )
  metrics.gaugeFrom({ name: 'steadyvm_upgrade_rejected', help: '1 when the version that is asked for was taken back' }, () => [
    [{}, status()?.steadyvm?.rejected === undefined ? 0 : 1],
  ])
}

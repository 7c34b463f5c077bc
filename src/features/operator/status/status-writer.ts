import type { KubeVirt, RejectedVersion } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isConflict, StatusError } from '#apimachinery/errors.ts'
import { TransportError } from '#client/client.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { OperatorPorts } from '../ports.ts'
import { canaryFailed, preflightFailed, statusOf, errorStatusOf, refusalMessage, type InstallationReport } from './conditions.ts'
import type { ResolvedTarget } from '../rollout/target-version.ts'
import { recordFailure } from './upgrade-record.ts'

/** Writes the status of the KubeVirt object and records events of its changes. */
export interface StatusWriter {
  /** Returns the object with the status that was written. */
  update(kubevirt: KubeVirt, report: InstallationReport, signal: AbortSignal): Promise<KubeVirt>
  /** Records that a version failed: from then on, the previous version is wanted. */
  rejectVersion(kubevirt: KubeVirt, rejected: RejectedVersion, signal: AbortSignal): Promise<void>
  /** Records a persistent reconcile error in status; transient errors are skipped. */
  recordError(kubevirt: KubeVirt, aim: Pick<ResolvedTarget, 'isSettled'>, error: unknown, signal: AbortSignal): Promise<void>
}

export function createStatusWriter({ client, clock, recorder }: Pick<OperatorPorts, 'client' | 'clock' | 'recorder'>): StatusWriter {
  return {
    async update(kubevirt, report, signal) {
      if (kubevirt.spec.infra?.replicas !== undefined && kubevirt.status?.observedGeneration !== kubevirt.metadata.generation)
        recorder.event(kubevirt, 'Warning', 'AdvancedFeatureUse', advancedReplicas)
      const told = await patchStatus(client, kubeVirts, kubevirt, statusOf(kubevirt, report, timestamp(clock.now())), { signal })
      if (told === kubevirt) return told
      const [before, after] = [kubevirt.status?.steadyvm?.upgrade, told.status?.steadyvm?.upgrade]
      if (after !== undefined && (after.stage !== before?.stage || after.to !== before.to)) {
        const way = after.from === '' ? 'Installing' : `From ${after.from} to`
        recorder.event(kubevirt, 'Normal', 'UpgradeStage', `${way} ${after.to}: ${after.stage}`)
      }
      const { plan } = report
      if (plan?.refused === true && !isTrue(kubevirt.status?.conditions, preflightFailed))
        recorder.event(kubevirt, 'Warning', preflightFailed, refusalMessage(plan))
      if (before !== undefined && after === undefined)
        recorder.event(kubevirt, 'Normal', 'UpgradeCompleted', `Upgrade to ${before.to} completed`)
      return told
    },
    async rejectVersion(kubevirt, rejected, signal) {
      const lastUpgrade = recordFailure(kubevirt.status?.steadyvm?.lastUpgrade, rejected.message, timestamp(clock.now()))
      const change = { rejected, ...(lastUpgrade === undefined ? {} : { lastUpgrade }) }
      await patchStatus(client, kubeVirts, kubevirt, { steadyvm: change }, { signal })
      recorder.event(kubevirt, 'Warning', canaryFailed, `${rejected.version} is rolled back: ${rejected.message}`)
    },
    async recordError(kubevirt, { isSettled }, error, signal) {
      if (!(error instanceof Error) || isTransient(error)) return
      // An API server that is being replaced does not make a running installation degraded.
      if (isSettled && isServers(error)) return
      const status = errorStatusOf(kubevirt, error.message, isSettled, timestamp(clock.now()))
      await patchStatus(client, kubeVirts, kubevirt, status, { signal }).catch(() => {})
    },
  }
}

const advancedReplicas = 'spec.infra.replicas sets the number of API servers and controllers: they do not follow the number of nodes'

/** Reports whether an error passes by itself: a conflict, or a server that was unreachable. */
export function isTransient(error: Error): boolean {
  return isConflict(error) || error instanceof TransportError || error.name === 'AbortError'
}

/** Reports whether the API server is at fault and not the request. */
function isServers(error: Error): boolean {
  const { code = 0 } = error instanceof StatusError ? error.status : {}
  return code === 429 || code >= 500
}

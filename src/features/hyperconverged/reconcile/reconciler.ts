import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { HyperConvergedStatus } from '#api/hco/v1/status.ts'
import type { KubeVirt, UpgradeRecord } from '#api/kubevirt/v1/kubevirt.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createSpanReporter } from '#runtime/tracing/span-reporter.ts'
import { tracing } from '#runtime/tracing/tracing.ts'
import { done, recheckIn, type Reconciler, type Result } from '#runtime/controller/reconcile.ts'
import { ComponentWriter, type Outcome } from './act.ts'
import { decide, held } from './decide.ts'
import { createLatestObjects } from '../components/objects/latest-objects.ts'
import { hyperConvergedKey } from '../names.ts'
import { recordTransitions, recordWrites } from '../observability/events.ts'
import type { CountOverwrite } from '../observability/metrics.ts'
import { createMonitoring } from '../observability/monitoring.ts'
import { spansOfPlatformUpgrade } from '../observability/upgrade-spans.ts'
import { createOperatorConditionReport } from '../lifecycle/olm/operator-condition.ts'
import { observeWith } from './observe.ts'
import { nextExpiryMs, reportOverrides } from '../configuration/overrides/override-status.ts'
import type { Ports } from './ports.ts'
import { ownedConditions, statusChange, statusOf } from './report.ts'
import { createRollBack } from '../lifecycle/rollback/rollback.ts'
import { createUninstaller } from '../lifecycle/uninstall/uninstaller.ts'
import { createUpgrader, holdsComponents } from '../lifecycle/upgrade/upgrader.ts'

/**
 * Keeps the objects of all components as HyperConverged says, and those for Prometheus in any case.
 * A component that fails is tried again with a back-off of its own, and does not affect the others,
 * unless the administrator asks for a rollback of an edit that a component refuses. When
 * HyperConverged is deleted, it removes them in order; when the operator has another version than
 * before, it upgrades the platform first. Each pass tells OLM whether another upgrade may begin.
 * `countOverwrite` counts changes by others that are reverted.
 */
export function createHyperConvergedReconciler(ports: Ports, countOverwrite: CountOverwrite): Reconciler {
  const writer = new ComponentWriter(ports)
  const latest = createLatestObjects(ports.clock)
  const uninstaller = createUninstaller(ports)
  const upgrader = createUpgrader(ports)
  const rollBack = createRollBack(ports)
  const maintainMonitoring = createMonitoring(ports)
  const reportToOlm = createOperatorConditionReport(ports)
  const reportSpans = createSpanReporter()
  // The cache may not have the last status yet, and its changes would be told again.
  let reported: { readonly uid: string | undefined; readonly status: HyperConvergedStatus } | undefined
  return async (_request, { signal }) => {
    await reportToOlm('Initializing', signal)
    const monitoring = await maintainMonitoring(signal)
    noteWrites(ports, monitoring.outcomes, countOverwrite)
    const found = ports.hyperconvergeds.get(hyperConvergedKey.namespace, hyperConvergedKey.name)
    if (found === undefined) return doneFor([monitoring.waitMs, await reportToOlm('Absent', signal)])
    if (isBeingDeleted(found)) {
      await reportToOlm('Removing', signal)
      return uninstaller.remove(found, signal)
    }
    const { hyperconverged, preparation } = await upgrader.prepare(await uninstaller.hold(found, signal), signal)
    const effective = await rollBack.effective(hyperconverged, signal)
    const observation = observeWith(ports, effective.hyperconverged, { latest })
    const decisions = decide(observation)
    const outcomes = await writer.act(holdsComponents(preparation) ? decisions.map(held) : decisions, signal)
    for (const { decision, written } of outcomes) if (written !== undefined) latest.note(decision.observed.component.name, written)
    noteWrites(ports, outcomes, countOverwrite)
    recordWrites(ports.recorder, hyperconverged, [...monitoring.outcomes, ...outcomes])
    const reports = {
      rollBack: await rollBack.conclude(hyperconverged, effective, outcomes, signal),
      upgrade: await upgrader.conclude(hyperconverged, preparation, outcomes, signal),
      isAdmissionReady: ports.isAdmissionReady(),
    }
    const status = statusOf({ ...observation, hyperconverged }, outcomes, timestamp(ports.clock.now()), reports)
    const { uid } = hyperconverged.metadata
    recordTransitions(ports.recorder, hyperconverged, reported?.uid === uid ? reported?.status : hyperconverged.status, status)
    reported = { uid, status }
    await patchStatus(ports.client, hyperConvergeds, hyperconverged, statusChange(status), { ownedConditions, signal })
    const { upgrade } = reports.upgrade
    if (tracing().isOn && upgrade !== undefined)
      reportSpans(spansOfPlatformUpgrade({ uid: uid ?? '', upgrade, ofKubeVirt: kubeVirtUpgradeOf(outcomes) }, ports.clock.now()))
    await reportOverrides(ports, outcomes, signal)
    const expiry = nextExpiryMs(ports.overrides.list(), ports.clock.now())
    const olm = await reportToOlm(status, signal)
    return doneFor([monitoring.waitMs, writer.retryAfterMs(), latest.waitMs, expiry, upgrader.waitMs(), olm])
  }
}

function kubeVirtUpgradeOf(outcomes: readonly Outcome[]): UpgradeRecord | undefined {
  const kubevirt = outcomes.find(({ decision }) => decision.observed.component.name === 'kubevirt')
  return (kubevirt?.decision.observed.present as KubeVirt | undefined)?.status?.steadyvm?.lastUpgrade
}

function doneFor(waits: readonly (number | undefined)[]): Result {
  const due = waits.filter((ms) => ms !== undefined)
  return due.length === 0 ? done : recheckIn(Math.min(...due))
}

/** Logs what was written, and counts what others had changed. */
function noteWrites({ log }: Pick<Ports, 'log'>, outcomes: readonly Outcome[], countOverwrite: CountOverwrite): void {
  for (const { decision, written } of outcomes) {
    const { step, observed } = decision
    if (step.kind !== 'apply' || written === undefined) continue
    const { name, kind } = observed.component
    log.info({ component: name, cause: step.cause, drift: step.drift }, 'A component was configured')
    if (step.cause === 'drift') countOverwrite(`${kind}/${written.metadata?.name ?? ''}`)
  }
}

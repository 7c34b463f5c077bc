import type { Node } from '#api/core/v1/node.ts'
import type { KubeVirt, RejectedVersion } from '#api/kubevirt/v1/kubevirt.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { settingAnnotations } from '#features/cluster-config/index.ts'
import type { RolloutLimits } from './node-agents.ts'
import { infraSettingsOf } from '../manifests/infra-settings.ts'
import { installStrategyOf, type InstallStrategy, type Target } from '../manifests/install-strategy.ts'

/** A version with its install strategy. */
export interface ReleaseTarget {
  readonly target: Target
  readonly strategy: InstallStrategy
}

/** The version to install now. */
export interface ResolvedTarget extends ReleaseTarget {
  /** The requested version, when it was rolled back; undefined otherwise. */
  readonly rejected: RejectedVersion | undefined
  /** The requested version, while preflight must accept it before the upgrade begins. */
  readonly unchecked: ReleaseTarget | undefined
  /** True if this version was complete before and no other one was the target since. */
  readonly isSettled: boolean
}

/**
 * Chooses the version to install: the requested one; the previous one, when the requested one was
 * rolled back and the spec has not changed since; or the current target, until preflight accepts
 * the requested one. Returning to the previous version during an upgrade needs no preflight. Pure.
 */
export function resolveTarget(
  kubevirt: KubeVirt,
  own: Pick<Target, 'version' | 'registry'>,
  place: Pick<Target, 'namespace' | 'platform'>,
  nodes: readonly Node[],
): ResolvedTarget {
  const { spec, status = {}, metadata } = kubevirt
  const settings = infraSettingsOf(spec, nodes)
  const goalOf = (version: string, registry: string): ReleaseTarget => {
    const target = { version, registry, ...place }
    return { target, strategy: installStrategyOf(target, settings) }
  }
  const wanted = goalOf(spec.imageTag || own.version, spec.imageRegistry || own.registry)
  const { identifier } = wanted.strategy
  const { observedKubeVirtVersion: observed, observedKubeVirtRegistry, targetKubeVirtVersion, targetKubeVirtRegistry } = status
  const aim = (goal: ReleaseTarget, more: Partial<ResolvedTarget> = {}): ResolvedTarget => {
    return { ...goal, rejected: undefined, unchecked: undefined, ...more, isSettled: isSettled(kubevirt, goal.strategy) }
  }
  if (observed === undefined) return aim(wanted)
  const rejected = status.steadyvm?.rejected
  if (rejected !== undefined && rejected.deploymentID === identifier && rejected.generation === (metadata?.generation ?? 0))
    return aim(goalOf(observed, observedKubeVirtRegistry ?? own.registry), { rejected })
  if (wanted.target.version === observed || status.targetDeploymentID === identifier) return aim(wanted)
  return aim(goalOf(targetKubeVirtVersion ?? observed, targetKubeVirtRegistry ?? own.registry), { unchecked: wanted })
}

/**
 * Reports whether the target has never been complete, so that it is rolled back when a component
 * fails. A repair, a first installation and a roll-back have nothing to go back to. Pure.
 */
export function isTrial({ status = {} }: KubeVirt, { strategy, isSettled: isComplete, rejected }: ResolvedTarget): boolean {
  const { observedKubeVirtVersion, observedDeploymentID } = status
  return observedKubeVirtVersion !== undefined && !isComplete && rejected === undefined && strategy.identifier !== observedDeploymentID
}

/** Versions whose upgrade was abandoned before it was complete. Pure. */
export function abandonedVersions({ status }: KubeVirt): readonly string[] {
  const { rejected, upgrade } = status?.steadyvm ?? {}
  const before = upgrade?.contractAt === undefined ? upgrade?.from : undefined
  return [rejected?.version, before].flatMap((version) =>
    version === undefined || version === status?.observedKubeVirtVersion ? [] : [version],
  )
}

/**
 * Milliseconds for which objects that only the former version needs are kept. Returns `fallback`
 * when the annotation is absent or not a duration. Pure.
 */
export function formerVersionRetentionMs(kubevirt: KubeVirt, fallback: number): number {
  return durationSetting(kubevirt, settingAnnotations.keepFormerVersion, fallback)
}

/** Reads soak time and deadline from annotations of the KubeVirt object. Pure. */
export function rolloutLimits(kubevirt: KubeVirt, { soakMs, deadlineMs }: RolloutLimits): RolloutLimits {
  return {
    soakMs: durationSetting(kubevirt, settingAnnotations.rolloutSoak, soakMs),
    deadlineMs: durationSetting(kubevirt, settingAnnotations.rolloutDeadline, deadlineMs),
  }
}

function durationSetting({ metadata }: KubeVirt, annotation: string, fallback: number): number {
  const text = metadata?.annotations?.[annotation]
  const ms = text === undefined ? undefined : durationMs(text)
  return ms === undefined ? fallback : Math.max(0, ms)
}

function isSettled({ status = {} }: KubeVirt, { identifier }: InstallStrategy): boolean {
  const { observedDeploymentID, targetDeploymentID, steadyvm } = status
  const isUnderWay = steadyvm?.upgrade !== undefined && steadyvm.upgrade.contractAt === undefined
  return observedDeploymentID === identifier && targetDeploymentID === identifier && !isUnderWay
}

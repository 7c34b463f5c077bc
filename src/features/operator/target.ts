import type { KubeVirt, RejectedVersion } from '#api/kubevirt/v1/kubevirt.ts'
import { strategyOf, type Strategy, type Target } from './strategy.ts'

/** What is to be installed now. */
export interface Aim {
  readonly target: Target
  readonly strategy: Strategy
  /** The version that is asked for and did not work; undefined when it is the one that is to be installed. */
  readonly rejected: RejectedVersion | undefined
  /** Whether all of it has been in place before, and nothing else has been wanted since. */
  readonly isSettled: boolean
}

/** Chooses what is to be installed: what the object asks for, or, when that did not work and nobody has asked anew, what was in place before. Pure. */
export function aimOf(kubevirt: KubeVirt, own: Pick<Target, 'version' | 'registry'>, place: Pick<Target, 'namespace' | 'platform'>): Aim {
  const { spec, status = {}, metadata } = kubevirt
  const wanted = { version: spec.imageTag || own.version, registry: spec.imageRegistry || own.registry, ...place }
  const strategy = strategyOf(wanted)
  const rejected = status.steadyvm?.rejected
  const isRejected =
    rejected !== undefined && rejected.deploymentID === strategy.identifier && rejected.generation === (metadata?.generation ?? 0)
  const { observedKubeVirtVersion: version, observedKubeVirtRegistry: registry } = status
  if (!isRejected || version === undefined)
    return { target: wanted, strategy, rejected: undefined, isSettled: isSettled(kubevirt, strategy) }
  const target = { version, registry: registry ?? own.registry, ...place }
  const former = strategyOf(target)
  return { target, strategy: former, rejected, isSettled: isSettled(kubevirt, former) }
}

function isSettled({ status = {} }: KubeVirt, { identifier }: Strategy): boolean {
  const { observedDeploymentID, targetDeploymentID, steadyvm } = status
  return observedDeploymentID === identifier && targetDeploymentID === identifier && steadyvm?.upgrade === undefined
}

import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { IntOrString } from '#api/scalars.ts'
import { scaledValue } from '../scaled-value.ts'

/** Allowed deviation of a Deployment from its number of replicas. */
export interface RolloutLimits {
  readonly replicas: number
  /** Pods that may be surplus. */
  readonly surge: number
  /** Pods that may be missing. */
  readonly unavailable: number
}

/**
 * Resolves percentages: surplus is rounded up, missing down; both 0 would never get on, so that
 * then one may be missing. Pure.
 */
export function rolloutLimits({ spec }: Deployment): RolloutLimits {
  const replicas = spec.replicas ?? 1
  if (spec.strategy?.type === 'Recreate') return { replicas, surge: 0, unavailable: 0 }
  const { maxSurge = defaultShare, maxUnavailable = defaultShare } = spec.strategy?.rollingUpdate ?? {}
  const surge = scaledValue(maxSurge, replicas, 'up')
  const missing = scaledValue(maxUnavailable, replicas, 'down')
  const unavailable = surge === 0 && missing === 0 ? 1 : missing
  return { replicas, surge, unavailable: Math.min(unavailable, replicas) }
}

const defaultShare: IntOrString = '25%'

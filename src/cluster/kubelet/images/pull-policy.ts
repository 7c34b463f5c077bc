import type { PullPolicy } from '../options.ts'

/**
 * Policy of an image whose pod names none, as Kubernetes' API server completes it: what has no tag,
 * or `latest`, may change. Pure.
 */
export function pullPolicyOf(reference: string, given: string | undefined): PullPolicy {
  if (given === 'Always' || given === 'IfNotPresent' || given === 'Never') return given
  if (reference.includes('@')) return 'IfNotPresent'
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  return !name.includes(':') || name.endsWith(':latest') ? 'Always' : 'IfNotPresent'
}

/** What is done about an image. */
export type PullDecision =
  /** The image that is here is taken, without asking the registry. */
  | 'use'
  /** The registry is asked for the digest of the name, and sends what is not here. */
  | 'ask'
  /** There is none, and it is pulled. */
  | 'pull'
  /** There is none, and the pod forbids to pull it. */
  | 'refuse'

/**
 * Decides about an image. Also one of a digest is asked for under `Always`: whether the pod may
 * read it is what the registry knows. Pure.
 */
export function decidePull(policy: PullPolicy, isHere: boolean): PullDecision {
  if (policy === 'Always') return isHere ? 'ask' : 'pull'
  if (isHere) return 'use'
  return policy === 'Never' ? 'refuse' : 'pull'
}

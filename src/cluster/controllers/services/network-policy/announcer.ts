import type { NetworkPolicy } from '#api/networking/v1/network-policy.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { GuestFilter } from './guest-filter.ts'

/** Tells by events which policies are in force. */
export interface Announcer {
  success(policies: readonly NetworkPolicy[], filter: GuestFilter): void
  failure(policies: readonly NetworkPolicy[], reason: string): void
}

/**
 * Creates an announcer, which tells about policies that are new or have changed. Those that it
 * finds at its start have been in force before.
 */
export function createAnnouncer(recorder: Recorder): Announcer {
  /** Generation of each policy in force, by its uid. */
  let inForce: ReadonlyMap<string, number> | undefined
  const tell = (policy: NetworkPolicy, type: 'Normal' | 'Warning', reason: string, message: string): void =>
    recorder.event({ ...policy, apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }, type, reason, message)
  return {
    success(policies, filter) {
      const before = inForce
      inForce = new Map(policies.map(({ metadata: { uid = '', generation = 0 } }) => [uid, generation]))
      for (const policy of policies) {
        const { uid = '', generation = 0 } = policy.metadata
        if (before === undefined || before.get(uid) === generation) continue
        const count = guestsOf(policy, filter).size
        tell(policy, 'Normal', 'Enforced', `filters the traffic of ${count === 1 ? '1 guest' : `${count} guests`}`)
      }
    },
    failure(policies, reason) {
      inForce = new Map()
      const message = `the former rules stay in force, and guests that start reach nothing: ${reason}`
      for (const policy of policies) tell(policy, 'Warning', 'NotEnforced', message)
    },
  }
}

function guestsOf({ metadata: { namespace = '', name = '' } }: NetworkPolicy, { isolated }: GuestFilter): ReadonlySet<string> {
  const selected = [...isolated.egress, ...isolated.ingress].filter(([, rules]) =>
    rules.some(({ policy }) => policy === `${namespace}/${name}`),
  )
  return new Set(selected.map(([address]) => address))
}

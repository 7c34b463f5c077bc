import type { Clock } from '#runtime/clock/clock.ts'
import type { ControlGroups } from '#runtime/isolation/control-groups.ts'
import { podOfGroup } from './container-limits.ts'

const lookMs = 5
const patienceMs = 2_000

/**
 * Kills what is left in the control groups of pods, also what has left its process group and
 * cleared its environment, and removes them. A process that the kernel does not let end in time is
 * left to the next kubelet.
 */
export async function removeGroups(
  { groups, clock }: { readonly groups?: ControlGroups | undefined; readonly clock: Clock },
  isOver: (podUid: string) => boolean,
): Promise<void> {
  if (groups === undefined) return
  let left = groups.names().filter((name) => isOver(podOfGroup(name)))
  for (const end = clock.now() + patienceMs; left.length > 0; await clock.sleep(lookMs)) {
    left = left.filter((name) => !groups.remove(name))
    if (clock.now() >= end) return
  }
}

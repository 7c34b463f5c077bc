import { namespaces } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { coveredDirectory } from '#runtime/isolation/covered-directory.ts'
import { cannotChangeUser } from '#runtime/isolation/process-user.ts'
import { allocateUidRange } from '#runtime/isolation/uid-ranges.ts'
import { ContainerConfigError } from '../environment/configuration-source.ts'
import { enforceLabel, identityKind, machineRights, type PodIdentity } from './pod-identity.ts'

/** Decides which Unix users the pods of this machine run as. */
export interface PodUsers {
  /** Directory that unprivileged pods see empty but for their own files. */
  readonly covered: string
  /**
   * Decides the identity of a pod that is about to start. @throws ContainerConfigError for a pod
   * that requires root of the machine in a namespace that does not allow it
   */
  identify(pod: Pod, isStatic: boolean): Promise<PodIdentity>
  /** Identity of a command that a user of the API runs in a pod: never the one of QEMU. */
  session(pod: Pod, isStatic: boolean): Promise<PodIdentity>
}

/** Dependencies of {@link createPodUsers}. */
export interface PodUsersOptions {
  readonly client: Client
  readonly clock: Clock
  /** Data directory of the machine. */
  readonly home: string
  /** Directory with the ranges of user ids. */
  readonly ranges: string
  /** Namespaces of this system's own components. */
  readonly systemNamespaces: readonly string[]
}

interface NamespaceFacts {
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
}

/** Labels may be this old (milliseconds) when a pod starts. */
const freshMs = 5_000

/** Reports why this process cannot run pods as other users; undefined when it can. */
export function cannotIsolate(): string | undefined {
  return cannotChangeUser()
}

/** Pods of user namespaces run as the Unix users of their namespace. */
export function createPodUsers(options: PodUsersOptions): PodUsers {
  const { client, clock, systemNamespaces } = options
  const known = new Map<string, { readonly at: number; readonly facts: NamespaceFacts }>()
  const factsOf = async (name: string): Promise<NamespaceFacts> => {
    const cached = known.get(name)
    if (cached !== undefined && clock.now() - cached.at < freshMs) return cached.facts
    const { metadata } = await client.get(namespaces, { name })
    const facts = { uid: metadata.uid ?? '', labels: metadata.labels ?? {} }
    known.set(name, { at: clock.now(), facts })
    return facts
  }
  // A range never changes, and finding it reads a file per namespace.
  const ranges = new Map<string, number>()
  const namespaceIdentity = ({ uid }: NamespaceFacts): PodIdentity => ({
    kind: 'namespace',
    first: ranges.getOrInsertComputed(uid, () => allocateUidRange(options.ranges, uid)),
  })
  // Needs no request for pods of the system and for guests.
  const kindOf = async (pod: Pod, isStatic: boolean): Promise<PodIdentity['kind']> => {
    const kind = identityKind(pod, isStatic, systemNamespaces, () => ({}))
    if (kind !== 'namespace') return kind
    const { labels } = await factsOf(pod.metadata.namespace ?? '')
    return identityKind(pod, isStatic, systemNamespaces, () => labels)
  }
  return {
    covered: coveredDirectory(options.home),
    async identify(pod, isStatic) {
      const kind = await kindOf(pod, isStatic)
      if (kind !== 'namespace') return { kind }
      const { namespace = '' } = pod.metadata
      const refused = machineRights(pod)
      if (refused.length > 0) {
        throw new ContainerConfigError(
          `${refused.join(', ')}: it would have the rights of root on this machine. ` +
            `Label namespace "${namespace}" with ${enforceLabel}=privileged to allow that to all of its pods`,
        )
      }
      return namespaceIdentity(await factsOf(namespace))
    },
    async session(pod, isStatic) {
      const kind = await kindOf(pod, isStatic)
      if (kind === 'system') return { kind }
      const facts = await factsOf(pod.metadata.namespace ?? '')
      return kind === 'launcher' && facts.labels[enforceLabel] === 'privileged' ? { kind: 'system' } : namespaceIdentity(facts)
    },
  }
}

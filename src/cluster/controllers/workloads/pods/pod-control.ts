import { messageOf, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Expectations } from '#runtime/controller/expectations.ts'
import { createDependent, deleteDependent } from '#runtime/ownership/dependents.ts'
import { type WorkloadPorts } from '../workload-ports.ts'

/**
 * Creates and deletes pods for one owner: records expectations until the cache shows them, and
 * events.
 */
export interface PodControl {
  /** @throws when the server refuses */
  create(pod: Pod): Promise<void>
  /** @throws when the server refuses; a pod that is gone already is fine. */
  remove(pod: Pod): Promise<void>
}

/** Creates a pod control. The owner must have apiVersion and kind. */
export function podControl(
  { client, recorder }: Pick<WorkloadPorts, 'client' | 'recorder'>,
  owner: KubeObject,
  expectations: Expectations,
  signal: AbortSignal,
): PodControl {
  const ports = { client, expectations }
  return {
    async create(pod) {
      try {
        const { metadata } = await createDependent(ports, owner, pods, pod, signal)
        recorder.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${metadata.name ?? ''}`)
      } catch (error) {
        // Its owner goes with it soon.
        if (isTerminating(error)) return
        const failure = new PodRefused(withoutName(messageOf(error), pod), { cause: error })
        recorder.event(owner, 'Warning', 'FailedCreate', `Error creating: ${failure.message}`)
        throw failure
      }
    },
    async remove(pod) {
      try {
        if (!(await deleteDependent(ports, owner, pods, pod, signal))) return
        recorder.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name ?? ''}`)
      } catch (error) {
        recorder.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${messageOf(error)}`)
        throw error
      }
    },
  }
}

/** A pod could not be created. The message is the same for each try. */
export class PodRefused extends Error {
  override readonly name = 'PodRefused'
}

/** Each attempt has another name, which would change the status every time. */
function withoutName(message: string, { metadata }: Pod): string {
  const prefix = metadata.generateName ?? ''
  const at = message.indexOf(`"${prefix}`)
  return at < 0 ? message : `${message.slice(0, at)}"${prefix}${message.slice(at + prefix.length + 1).replace(/^[a-z0-9]{5}"/, '"')}`
}

function isTerminating(error: unknown): boolean {
  return error instanceof StatusError && error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
}

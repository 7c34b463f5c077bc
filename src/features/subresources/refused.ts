import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { badRequest, conflict, notImplemented, StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { AggregatedHandler, StreamHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest, guestSubject } from './guest.ts'

// Subresources of features that no guest or component has: they refuse with the codes and words of
// KubeVirt, where a request can be refused there.

/** Dependencies of the refusals. */
export interface RefusalOptions {
  readonly client: Pick<Client, 'get'>
  readonly config: () => Pick<ClusterConfig, 'featureGates'>
}

/** Handles `GET virtualmachineinstances/<name>/vsock`. */
export function vsock({ client }: RefusalOptions): StreamHandler {
  return async ({ namespace, name }) => {
    const { spec } = await getGuest(client, namespace, name)
    if (spec.domain.devices.autoattachVSOCK !== true) throw badRequest('VSOCK is not attached.')
    throw notImplemented('VSOCK of a guest cannot be reached yet')
  }
}

/** Handles `PUT virtualmachineinstances/<name>/backup`. */
export function backup(options: RefusalOptions): AggregatedHandler {
  return refusing(options, ({ status }) => (status?.phase === 'Running' ? undefined : 'VM is not running'))
}

/** Handles `PUT virtualmachineinstances/<name>/redefine-checkpoint`. */
export function redefineCheckpoint(options: RefusalOptions): AggregatedHandler {
  return refusing(options, ({ status }) =>
    status?.changedBlockTracking?.state === 'Enabled' ? undefined : 'ChangedBlockTracking is not enabled',
  )
}

function refusing({ client }: RefusalOptions, why: (vmi: VirtualMachineInstance) => string | undefined): AggregatedHandler {
  return async ({ namespace, name }) => {
    const reason = why(await getGuest(client, namespace, name))
    if (reason !== undefined) throw conflict(guestSubject, name, reason)
    throw notImplemented('Disks of a running guest are not copied yet: "steadyvm backup --disks" copies all disks of a machine')
  }
}

/** Handles `GET start-cluster-profiler` and its siblings. */
export function profiler(
  { config }: RefusalOptions,
  action: 'start profiler' | 'stop profiler' | 'dump profiler results',
): AggregatedHandler {
  return async () => {
    if (config().featureGates.includes('ClusterProfiler')) throw notImplemented('Components are not profiled yet')
    const { status } = badRequest(`Unable to ${action}. "ClusterProfiler" feature gate must be enabled`)
    throw new StatusError({ ...status, code: 403, reason: 'Forbidden' })
  }
}

import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { names, podsByVmi } from '#features/vmi/index.ts'
import { migrationFinalizer } from '../decide.ts'
import { patchVmi } from './hand-over.ts'
import { migrationsByGuest, type Ports } from '../ports.ts'
import type { Observed } from '../step.ts'

/**
 * Deletes the pod that the guest is not in, the label for the target's agent, and the finalizer.
 */
export async function cleanUp(ports: Ports, { migration, vmi, excess }: Observed, succeeded: boolean): Promise<void> {
  for (const { metadata } of excess) await deleteOnce(ports, virtualMachineInstanceMigrations, metadata)
  const { uid } = migration.metadata
  const state = vmi?.status?.migrationState
  const isLast = state?.migrationUid === uid
  const label = vmi?.metadata.labels?.[names.migrationTargetLabel]
  if (vmi !== undefined && isLast && label !== undefined) {
    await patchVmi(ports, vmi, { metadata: { labels: { [names.migrationTargetLabel]: null } } })
  }
  const all = ports.pods.byIndex(podsByVmi, vmi?.metadata.uid ?? '')
  const doomed = all.filter(({ metadata }) => {
    const job = metadata.labels?.[names.migrationJobLabel]
    if (succeeded && isLast && metadata.name === state?.sourcePod) return true
    // The pod of a migration that was deleted without its finalizer is left to the next migration.
    return (!succeeded && job === uid) || (job !== undefined && !exists(ports, migration, job))
  })
  for (const pod of doomed) if (!isActive(vmi, pod)) await deleteOnce(ports, pods, pod.metadata)
  const { finalizers = [] } = migration.metadata
  if (!finalizers.includes(migrationFinalizer)) return
  const metadata = { finalizers: finalizers.filter((finalizer) => finalizer !== migrationFinalizer) }
  try {
    ports.own.note(await patchIfUnchanged(ports.client, virtualMachineInstanceMigrations, migration, { metadata }))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function exists({ migrations }: Ports, { metadata, spec }: VirtualMachineInstanceMigration, uid: string): boolean {
  return migrations.byIndex(migrationsByGuest, `${metadata.namespace}/${spec.vmiName}`).some((other) => other.metadata.uid === uid)
}

/** Reports whether the guest runs in the pod, which is then never deleted. */
function isActive(vmi: VirtualMachineInstance | undefined, { metadata, spec }: Pod): boolean {
  return vmi?.status?.activePods?.[metadata.uid ?? ''] !== undefined && vmi.status.nodeName === spec.nodeName
}

async function deleteOnce<T extends KubeObject>({ client }: Ports, resource: ResourceType<T>, metadata: ObjectMeta): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  if (isBeingDeleted({ metadata })) return
  try {
    await client.delete(resource, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

import type { Pod } from '#api/core/v1/pod.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isConflict } from '#apimachinery/errors.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { names, podsByVmi } from '#features/vmi/index.ts'
import { resolveMigrationSettings } from './migration-policy.ts'
import type { Ports } from '../ports.ts'

/**
 * Writes the migration state to the VMI. From then on the two node agents run the migration and
 * communicate through the VMI's status.
 */
export async function handOver(
  ports: Ports,
  migration: VirtualMachineInstanceMigration,
  { vmi, target }: { readonly vmi: VirtualMachineInstance; readonly target: Pod },
): Promise<void> {
  const sourceNode = vmi.status?.nodeName ?? ''
  const targetNode = target.spec.nodeName ?? ''
  const migrationUid = migration.metadata.uid ?? ''
  const sourceUid = Object.entries(vmi.status?.activePods ?? {}).find(([, node]) => node === sourceNode)?.[0]
  const source = ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '').find(({ metadata }) => metadata.uid === sourceUid)
  // The pod may not be in the cache yet; its event requeues the migration.
  if (source === undefined) return
  const labels = {
    guest: vmi.metadata.labels ?? {},
    namespace: ports.namespaces.get('', vmi.metadata.namespace ?? '')?.metadata.labels ?? {},
  }
  const settings = resolveMigrationSettings(ports.config().migrations, ports.policies.list(), labels)
  const [sourcePod, targetPod] = [source.metadata.name ?? '', target.metadata.name ?? '']
  const migrationState = {
    migrationUid,
    sourceNode,
    targetNode,
    sourcePod,
    targetPod,
    ...settings,
    sourceState: { node: sourceNode, pod: sourcePod, migrationUID: migrationUid },
    targetState: { node: targetNode, pod: targetPod, migrationUID: migrationUid },
  }
  // The same write removes the state of an earlier migration.
  const earlier = Object.fromEntries(Object.keys(vmi.status?.migrationState ?? {}).map((field) => [field, null]))
  const cleared = {
    ...earlier,
    ...migrationState,
    migrationConfiguration: {
      ...nulls(vmi.status?.migrationState?.migrationConfiguration),
      ...settings.migrationConfiguration,
    },
    sourceState: { ...nulls(vmi.status?.migrationState?.sourceState), ...migrationState.sourceState },
    targetState: { ...nulls(vmi.status?.migrationState?.targetState), ...migrationState.targetState },
  }
  try {
    await patchVmi(ports, vmi, {
      metadata: { labels: { [names.migrationTargetLabel]: targetNode } },
      status: { migrationState: cleared, activePods: { [target.metadata.uid ?? '']: targetNode } },
    })
  } catch (error) {
    // A conflict is retried with the current VMI.
    if (!isConflict(error)) {
      const message = `The guest cannot be handed over to virt-handler on node ${targetNode}: ${String(error)}`
      ports.recorder.event(migration, 'Warning', 'FailedHandOver', message)
    }
    throw error
  }
  ports.recorder.event(
    migration,
    'Normal',
    'SuccessfulHandOver',
    `Migration target pod is ready for preparation by virt-handler on node ${targetNode}`,
  )
}

function nulls(object: object | undefined): Record<string, null> {
  return Object.fromEntries(Object.keys(object ?? {}).map((field) => [field, null]))
}

/**
 * Patches the VMI on the version that was read, so that updates of the node agents are not
 * overwritten.
 */
export async function patchVmi(
  { client, own }: Pick<Ports, 'client' | 'own'>,
  vmi: VirtualMachineInstance,
  change: { metadata?: object; status?: object },
): Promise<void> {
  own.note(await patchIfUnchanged(client, virtualMachineInstances, vmi, change))
}

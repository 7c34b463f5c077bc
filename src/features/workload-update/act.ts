import { pods } from '#api/core/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { isMigrationFinal } from '#api/kubevirt/v1/phase.ts'
import { kubeVirts, virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isAlreadyExists, isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { patchStatus } from '#client/patch-status.ts'
import { attemptName, isCancellable, migrationsByVmi } from '#features/evacuation/index.ts'
import { names, podsByVmi, imageHash } from '#features/vmi/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Decision } from './decide.ts'
import { compatibilityClass, type GuestFacts } from './guests/facts.ts'
import { keyOf, launcherOf } from './guests/read-guest.ts'
import { updateNames } from './names.ts'
import type { Ports } from './ports.ts'

/**
 * Creates migrations, evicts and cancels. Returns `namespace/name` of the migrations that it has
 * created.
 */
export async function act(ports: Ports, kubevirt: KubeVirt, decision: Decision): Promise<readonly string[]> {
  for (const guest of decision.cancel) await cancel(ports, guest)
  const asked: string[] = []
  for (const guest of decision.migrate) asked.push(...(await move(ports, guest)))
  if (decision.evict.length > 0) {
    // Written before the evictions: a crash in between means fewer evictions, never more.
    await noteBatch(ports, kubevirt)
    for (const guest of decision.evict) await evict(ports, guest)
  }
  return asked
}

async function move({ client, recorder, ...ports }: Ports, guest: GuestFacts): Promise<readonly string[]> {
  const vmi = vmiOf(ports, guest)
  if (vmi === undefined) return []
  const migration = migrationOf(vmi, ports.migrations.byIndex(migrationsByVmi, guest.key), guest, ports.launcherImage)
  const key = `${migration.metadata.namespace}/${migration.metadata.name}`
  try {
    await client.create<VirtualMachineInstanceMigration>(virtualMachineInstanceMigrations, migration)
  } catch (error) {
    if (isAlreadyExists(error)) return [key]
    recorder.event(vmi, 'Warning', 'FailedCreate', `Cannot create the migration that updates the guest: ${String(error)}`)
    // Created already, or the guest has changed: the other guests must not wait for it.
    if (error instanceof StatusError && error.code < 500) return []
    throw error
  }
  recorder.event(vmi, 'Normal', 'SuccessfulCreate', `Created migration ${migration.metadata.name} for workload update`)
  return [key]
}

function migrationOf(
  vmi: VirtualMachineInstance,
  before: readonly VirtualMachineInstanceMigration[],
  guest: GuestFacts,
  image: string,
): VirtualMachineInstanceMigration {
  const { name = '', namespace = '' } = vmi.metadata
  const update = { [updateNames.imageAnnotation]: image, [updateNames.classAnnotation]: compatibilityClass(guest) }
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: {
      name: attemptName('kubevirt-workload-update-', vmi, before),
      namespace,
      annotations: { [updateNames.migrationAnnotation]: '', ...(guest.isPlugging ? {} : update) },
    },
    spec: {
      vmiName: name,
      priority: guest.isPlugging ? 'user-triggered' : 'system-critical',
      // A node with an older agent cannot take the guest.
      ...(guest.isPlugging ? {} : { addedNodeSelector: { [names.releaseLabel]: imageHash(image) } }),
    },
  }
}

async function evict({ client, recorder, ...ports }: Ports, guest: GuestFacts): Promise<void> {
  const vmi = vmiOf(ports, guest)
  const pod = vmi === undefined ? undefined : launcherOf(ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? ''), vmi)
  if (vmi === undefined || pod === undefined) return
  const { name = '', namespace = '', uid } = pod.metadata
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions: { preconditions: { uid } } }
  try {
    await client.create(pods, eviction, { subresource: 'eviction' })
    recorder.event(vmi, 'Normal', 'SuccessfulEvict', `Evicted pod ${name} to update the guest`)
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return
    recorder.event(vmi, 'Warning', 'FailedEvict', `Cannot evict pod ${name} to update the guest: ${String(error)}`)
    if (!(error instanceof StatusError) || error.code >= 500) throw error
  }
}

async function cancel({ client, recorder, ...ports }: Ports, guest: GuestFacts): Promise<void> {
  const vmi = vmiOf(ports, guest)
  const pointless = ports.migrations
    .byIndex(migrationsByVmi, guest.key)
    .filter((migration) => !isMigrationFinal(migration) && isCancellable(migration))
  const own = pointless.filter((one) => one.metadata.annotations?.[updateNames.migrationAnnotation] !== undefined)
  for (const { metadata } of own.filter((one) => !isBeingDeleted(one))) {
    const { name = '', namespace = '', uid } = metadata
    try {
      await client.delete(virtualMachineInstanceMigrations, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
      if (vmi !== undefined)
        recorder.event(vmi, 'Normal', 'SuccessfulChangeAbortion', `Cancelled migration ${name}: the guest needs no update`)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
}

async function noteBatch({ client, clock, launcherImage: image }: Ports, kubevirt: KubeVirt): Promise<void> {
  const workloadUpdate = { image, lastBatchTime: timestamp(clock.now()) }
  await patchStatus(client, kubeVirts, kubevirt, { steadyvm: { workloadUpdate } })
}

function vmiOf({ vmis }: Pick<Ports, 'vmis'>, { key }: GuestFacts): VirtualMachineInstance | undefined {
  const [namespace = '', name = ''] = key.split('/')
  const vmi = vmis.get(namespace, name)
  return vmi !== undefined && keyOf(vmi) === key ? vmi : undefined
}

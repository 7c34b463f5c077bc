import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject, ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { guardMove } from '#features/disruption-budget/index.ts'
import { launcherPodOf, names, podsByVmi } from '#features/vmi/index.ts'
import { timestamp } from '#runtime/clock.ts'
import { migrationFinalizer, vmiNameLabel } from './decide.ts'
import type { Observed, Step } from './step.ts'
import { handOver, patchVmi } from './hand-over.ts'
import { migrationsByGuest, type Ports } from './ports.ts'
import { report, reportCondition } from './report.ts'

/** Takes the step. */
export async function act(ports: Ports, observed: Observed, step: Step): Promise<void> {
  const { migration, vmi } = observed
  switch (step.kind) {
    case 'none':
      return
    case 'wait':
      if (step.reason === undefined) return
      ports.recorder.event(
        migration,
        'Warning',
        step.reason,
        `backoff migrating vmi ${migration.metadata.namespace}/${migration.spec.vmiName}`,
      )
      return
    case 'prepare':
      return prepare(ports, migration)
    case 'createTarget':
      return vmi === undefined ? undefined : createTarget(ports, migration, vmi)
    case 'handOver':
      return vmi === undefined ? undefined : handOver(ports, migration, { vmi, target: step.target })
    case 'requestAbort':
      return vmi === undefined ? undefined : requestAbort(ports, migration, vmi)
    case 'endStray':
      return vmi === undefined ? undefined : patchVmi(ports, vmi, { status: { migrationState: { abortRequested: true } } })
    case 'sourceEnded':
      return vmi === undefined
        ? undefined
        : patchVmi(ports, vmi, { status: { migrationState: { sourceState: { steadyvm: { gone: true } } } } })
    case 'conclude':
      return vmi === undefined ? undefined : conclude(ports, vmi, step.reason)
    case 'enter':
      return report(ports, observed, { phase: step.phase })
    case 'fail':
      return report(ports, observed, { phase: 'Failed', reason: step.reason })
    case 'cleanUp':
      return cleanUp(ports, observed, step.succeeded)
  }
}

async function prepare({ client }: Ports, { metadata, spec }: VirtualMachineInstanceMigration): Promise<void> {
  const { name = '', namespace = '', resourceVersion, finalizers = [], deletionTimestamp } = metadata
  const isKept = deletionTimestamp !== undefined || finalizers.includes(migrationFinalizer)
  const body = {
    metadata: {
      resourceVersion,
      labels: { [vmiNameLabel]: spec.vmiName ?? '' },
      ...(isKept ? {} : { finalizers: [...finalizers, migrationFinalizer] }),
    },
  }
  await client.patch(virtualMachineInstanceMigrations, { namespace, name }, { type: 'merge', body })
}

async function requestAbort(ports: Ports, migration: VirtualMachineInstanceMigration, vmi: VirtualMachineInstance): Promise<void> {
  await patchVmi(ports, vmi, { status: { migrationState: { abortRequested: true } } })
  await reportCondition(ports, migration, { type: 'migrationAbortRequested', status: 'True', lastProbeTime: null })
}

/** Of the guest as it was seen: a target that makes it its own at the same moment comes first, or not at all. */
async function conclude(ports: Ports, vmi: VirtualMachineInstance, failureReason: string): Promise<void> {
  const { nodeName, activePods = {} } = vmi.status ?? {}
  const endTimestamp = timestamp(ports.clock.now())
  const gone = Object.keys(activePods).filter((uid) => activePods[uid] !== nodeName)
  await patchVmi(ports, vmi, {
    status: {
      migrationState: { completed: true, failed: true, endTimestamp, failureReason, abortStatus: 'Failed' },
      activePods: Object.fromEntries(gone.map((uid) => [uid, null])),
    },
  })
}

async function createTarget(ports: Ports, migration: VirtualMachineInstanceMigration, vmi: VirtualMachineInstance): Promise<void> {
  const { name = '', uid = '' } = migration.metadata
  const pod = launcherPodOf(vmi, {
    image: ports.launcherImage,
    config: ports.config(),
    migration: { name, uid, nodeSelector: migration.spec.addedNodeSelector ?? {} },
  })
  await guardMove(ports.client, vmi)
  try {
    const created = await ports.client.create<Pod>(pods, pod)
    ports.recorder.event(
      migration,
      'Normal',
      'SuccessfulCreate',
      `Created migration target pod ${created.metadata.namespace}/${created.metadata.name}`,
    )
  } catch (error) {
    if (isAlreadyExists(error)) return
    if (isForbidden(error) && (error as Error).message.includes('exceeded quota')) {
      const message = (error as Error).message
      await reportCondition(ports, migration, { type: 'migrationRejectedByResourceQuota', status: 'True', message, lastProbeTime: null })
    }
    // With back-off: room may become free.
    throw error
  }
}

/** What is left: the pod that the guest is not in, the label for the target's agent, and the finalizer of a migration that is being deleted. */
async function cleanUp(ports: Ports, { migration, vmi, garbage }: Observed, succeeded: boolean): Promise<void> {
  for (const { metadata } of garbage) await deleteOnce(ports, virtualMachineInstanceMigrations, metadata)
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
    // Of a migration that was deleted by force, nobody takes away the pod but the next one.
    return (!succeeded && job === uid) || (job !== undefined && !exists(ports, migration, job))
  })
  for (const pod of doomed) if (!isActive(vmi, pod)) await deleteOnce(ports, pods, pod.metadata)
  const { name = '', namespace = '', resourceVersion, finalizers = [] } = migration.metadata
  if (!finalizers.includes(migrationFinalizer)) return
  const body = { metadata: { resourceVersion, finalizers: finalizers.filter((finalizer) => finalizer !== migrationFinalizer) } }
  await ports.client.patch(virtualMachineInstanceMigrations, { namespace, name }, { type: 'merge', body }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
}

function exists({ migrations }: Ports, { metadata, spec }: VirtualMachineInstanceMigration, uid: string): boolean {
  return migrations.byIndex(migrationsByGuest, `${metadata.namespace}/${spec.vmiName}`).some((other) => other.metadata.uid === uid)
}

/** Whatever else is said, a guest's own pod stays. */
function isActive(vmi: VirtualMachineInstance | undefined, { metadata, spec }: Pod): boolean {
  return vmi?.status?.activePods?.[metadata.uid ?? ''] !== undefined && vmi.status.nodeName === spec.nodeName
}

async function deleteOnce<T extends KubeObject>({ client }: Ports, resource: ResourceType<T>, metadata: ObjectMeta): Promise<void> {
  const { name = '', namespace = '', uid, deletionTimestamp } = metadata
  if (deletionTimestamp !== undefined) return
  try {
    await client.delete(resource, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

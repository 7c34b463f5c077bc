import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isAlreadyExists, isForbidden } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { raiseBudgetForMigration } from '#features/disruption-budget/index.ts'
import { canMountImages, launcherPodOf, unschedulableReason } from '#features/vmi/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { migrationFinalizer, vmiNameLabel } from './decide.ts'
import type { Observed, Step } from './step.ts'
import { cleanUp } from './handover/clean-up.ts'
import { handOver, patchVmi } from './handover/hand-over.ts'
import type { Ports } from './ports.ts'
import { report, reportCondition } from './report.ts'

/** Performs the step. */
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
      return vmi === undefined ? undefined : failInterrupted(ports, vmi, step.reason)
    case 'enter':
      if (step.phase === 'Scheduling') reportUnschedulable(ports, observed)
      return report(ports, observed, { phase: step.phase })
    case 'fail':
      return report(ports, observed, { phase: 'Failed', reason: step.reason })
    case 'cleanUp':
      return cleanUp(ports, observed, step.succeeded)
  }
}

async function prepare({ client, own }: Ports, migration: VirtualMachineInstanceMigration): Promise<void> {
  const { finalizers = [] } = migration.metadata
  const isKept = isBeingDeleted(migration) || finalizers.includes(migrationFinalizer)
  const metadata = {
    labels: { [vmiNameLabel]: migration.spec.vmiName ?? '' },
    ...(isKept ? {} : { finalizers: [...finalizers, migrationFinalizer] }),
  }
  own.note(await patchIfUnchanged(client, virtualMachineInstanceMigrations, migration, { metadata }))
}

async function requestAbort(ports: Ports, migration: VirtualMachineInstanceMigration, vmi: VirtualMachineInstance): Promise<void> {
  await patchVmi(ports, vmi, { status: { migrationState: { abortRequested: true } } })
  await reportCondition(ports, migration, { type: 'migrationAbortRequested', status: 'True', lastProbeTime: null })
}

/** Emits an event on each pass; the recorder counts repetitions. */
function reportUnschedulable({ recorder }: Ports, { migration, target }: Observed): void {
  const obstacle = target === undefined ? undefined : unschedulableReason(target)
  if (obstacle === undefined) return
  const message = `Migration target pod for VMI ${migration.spec.vmiName ?? ''} is currently unschedulable: ${obstacle.message}`
  recorder.event(migration, 'Warning', 'migrationTargetPodUnschedulable', message)
}

/**
 * Fails a migration that no agent continues. Guarded by the resourceVersion: a target that takes
 * over the guest at this moment wins, or gets a conflict.
 */
async function failInterrupted(ports: Ports, vmi: VirtualMachineInstance, failureReason: string): Promise<void> {
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
    inContainer: ports.inContainer,
    imageVolumes: await canMountImages(ports),
    // As on the source: a guest cannot move between KVM and emulation.
    kvm: ports.inContainer && !isTrue(vmi.status?.conditions, 'SoftwareEmulation'),
    config: ports.config(),
    migration: { name, uid, nodeSelector: migration.spec.addedNodeSelector ?? {} },
  })
  await raiseBudgetForMigration(ports.client, vmi)
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
    ports.recorder.event(migration, 'Warning', 'FailedCreate', `Failed to create the migration target pod: ${(error as Error).message}`)
    // Retried with back-off: quota may become free.
    throw error
  }
}

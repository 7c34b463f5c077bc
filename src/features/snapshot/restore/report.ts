import { virtualMachineRestores } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineRestore, VirtualMachineRestoreStatus } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Ports } from '../ports.ts'
import { complete, progressConditions, type Progress } from '../progress.ts'
import type { Step } from './decide.ts'
import { restoresOf, type RestoredVolume } from './volumes/restored-volumes.ts'

/**
 * Writes the progress into the restore's status, with at most one write. `problem`: error of the
 * step.
 */
export async function report(
  ports: Ports,
  { restore, volumes }: { readonly restore: VirtualMachineRestore; readonly volumes: readonly RestoredVolume[] },
  step: Step,
  problem?: string,
): Promise<void> {
  const progress: Progress | undefined = problem === undefined ? progressOf(step) : { kind: 'waiting', why: problem }
  if (progress === undefined) return
  const restores = restoresOf(volumes)
  const change = {
    ...changeOf(restore, progress, timestamp(ports.clock.now())),
    ...(restores.length === 0 ? {} : { restores }),
    ...(step.kind === 'noteObsolete' ? { deletedDataVolumes: [...step.names] } : {}),
  }
  const told = await found(patchStatus(ports.client, virtualMachineRestores, restore, change))
  if (told === restore) return
  announce(ports, restore, { progress, isProblem: problem !== undefined })
}

function announce(
  { recorder }: Ports,
  restore: VirtualMachineRestore,
  { progress, isProblem }: { readonly progress: Progress; readonly isProblem: boolean },
): void {
  const { name = '' } = restore.metadata
  if (progress.kind === 'done')
    recorder.event(restore, 'Normal', 'VirtualMachineRestoreComplete', `Successfully completed VirtualMachineRestore ${name}`)
  else if (progress.kind === 'failed' || isProblem)
    recorder.event(restore, 'Warning', 'VirtualMachineRestoreError', `VirtualMachineRestore encountered error ${progress.why}`)
}

function progressOf(step: Step): Progress | undefined {
  switch (step.kind) {
    case 'succeed':
      return { kind: 'done' }
    case 'fail':
      return { kind: 'failed', why: step.why }
    case 'wait':
      return { kind: 'waiting', why: step.why }
    case 'fill':
      return { kind: 'waiting', why: step.step.kind === 'wait' ? step.step.why : 'Restoring volumes' }
    case 'noteObsolete':
      return { kind: 'waiting', why: 'Restoring volumes' }
    case 'stop':
      return { kind: 'waiting', why: 'Waiting for target to be ready' }
    case 'none':
    case 'protect':
    case 'release':
    case 'belong':
    case 'lock':
    case 'unlock':
    case 'create':
    case 'rewrite':
    case 'pin':
    case 'discard':
    case 'adopt':
    case 'prune':
      return undefined
  }
}

function changeOf({ status: old }: VirtualMachineRestore, progress: Progress, now: string): VirtualMachineRestoreStatus {
  const why = progress.kind === 'done' ? complete : progress.kind === 'failed' ? 'Operation failed' : progress.why
  const conditions = progressConditions(old?.conditions, progress, { reasons: { progressing: why, ready: why }, now })
  return { complete: progress.kind === 'done', ...(progress.kind === 'done' ? { restoreTime: now } : {}), conditions }
}

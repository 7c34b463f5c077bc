import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Import } from '../imports/import.ts'
import { names } from '../names.ts'
import type { BootWish } from './wish.ts'

/** The VM that boots an image, with its copy of the image and its guest. */
export interface BootObservation {
  readonly vm: VirtualMachine | undefined
  readonly copy: DataVolume | undefined
  readonly vmi: VirtualMachineInstance | undefined
}

/** What to do for the boot of an image. */
export type BootStep =
  | { readonly kind: 'none' }
  /** Remove the VM of an image that has its result, or is not wanted any more. */
  | { readonly kind: 'remove'; readonly vm: VirtualMachine }
  | { readonly kind: 'createVm'; readonly image: Import }
  | { readonly kind: 'createCopy'; readonly image: Import; readonly vm: VirtualMachine }
  | { readonly kind: 'await'; readonly image: Import; readonly untilMs: number }
  | { readonly kind: 'record'; readonly image: Import; readonly result: 'passed' | 'failed'; readonly message: string }

/**
 * Decides about the boot of an image. `image`: the one whose result is missing; undefined if there
 * is none. Its result is on its claim before the VM is removed. Pure.
 */
export function decideBoot(
  image: Import | undefined,
  wish: BootWish | undefined,
  { vm, copy, vmi }: BootObservation,
  nowMs: number,
): BootStep {
  if (vm !== undefined && isBeingDeleted(vm)) return { kind: 'none' }
  const isWanted = image !== undefined && wish !== undefined && image.boot === undefined
  if (vm !== undefined && (!isWanted || vm.metadata.annotations?.[names.verifies] !== image.name)) return { kind: 'remove', vm }
  if (!isWanted) return { kind: 'none' }
  if (vm === undefined) return { kind: 'createVm', image }
  if (isThere(vmi, wish)) return { kind: 'record', image, result: 'passed', message: reached[wish.goal] }
  const failure = failureOf(copy, vmi)
  if (failure !== undefined) return { kind: 'record', image, result: 'failed', message: failure }
  const untilMs = Date.parse(vm.metadata.creationTimestamp ?? '') + wish.timeoutMs
  if (nowMs >= untilMs) {
    const seconds = Math.round(wish.timeoutMs / 1000)
    return { kind: 'record', image, result: 'failed', message: `${missing[wish.goal]} within ${seconds} s: ${stageOf(copy, vmi)}` }
  }
  return copy === undefined ? { kind: 'createCopy', image, vm } : { kind: 'await', image, untilMs }
}

const reached = { Running: 'the guest runs', AgentConnected: 'the agent of the guest answers' } as const
const missing = { Running: 'the guest did not run', AgentConnected: 'the agent of the guest did not answer' } as const

function isThere(vmi: VirtualMachineInstance | undefined, { goal }: BootWish): boolean {
  if (vmi?.status?.phase !== 'Running') return false
  return goal === 'Running' || isTrue(vmi.status.conditions, 'AgentConnected')
}

function failureOf(copy: DataVolume | undefined, vmi: VirtualMachineInstance | undefined): string | undefined {
  if (copy?.status?.phase === 'Failed') return `the image could not be copied: ${messageOf(copy)}`
  const phase = vmi?.status?.phase
  if (phase === 'Failed') return 'the guest has failed'
  return phase === 'Succeeded' ? 'the guest has shut down' : undefined
}

function stageOf(copy: DataVolume | undefined, vmi: VirtualMachineInstance | undefined): string {
  if (copy?.status?.phase !== 'Succeeded') return `its copy of the image is at ${copy?.status?.phase ?? 'Pending'}`
  return `its guest is at ${vmi?.status?.phase ?? 'Pending'}`
}

function messageOf({ status }: DataVolume): string {
  return status?.conditions?.find(({ type }) => type === 'Running')?.message ?? ''
}

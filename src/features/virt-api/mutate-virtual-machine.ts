import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import { VirtualMachine as virtualMachineSchema } from '#api/kubevirt/v1/schema.generated.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { badRequest, StatusError } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { TransportError, type JsonPatchOperation } from '#client/client.ts'
import {
  InferenceFailed,
  findPreference,
  inferMatchers,
  leavesStorageClassOpen,
  preferStorageClass,
  rememberInferred,
  settleMatchers,
  validateMatchers,
  type Lookup,
} from '#features/instancetype/index.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'
import { answerFor } from './refusal.ts'

/**
 * Sets the names from a VM's volumes in place of `inferFromVolume`, and the preferred storage class
 * where a DataVolume template leaves it unset: a volume cannot change its class later. Nothing else
 * of a VM is changed: decisions of the system belong into VMI and status, so that the spec stays as
 * written by its user.
 */
export async function mutateVirtualMachine(lookup: Lookup, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const sent = request.object as unknown as VirtualMachine
  const old = (request.oldObject ?? undefined) as VirtualMachine | undefined
  // Malformed objects are left to validation by the API server, which has the best messages.
  if (isBeingDeleted(sent) || !isWellFormed(sent) || !isIncomplete(sent)) return { allowed: true }
  const vm = { ...sent, metadata: { ...sent.metadata, namespace: request.namespace ?? sent.metadata.namespace ?? '' } }
  const settled = settleMatchers(vm, old)
  const causes = validateMatchers(settled, old)
  if (causes.length > 0) return answerFor(causes, [])
  try {
    const { vm: named, inferred } = await inferMatchers(lookup, settled)
    const preference = await findPreference(lookup, named).catch(ignoreMissing)
    const complete = preference === undefined ? named : preferStorageClass(named, preference.object.spec)
    const patch = patchOf(sent, rememberInferred(complete, old, inferred))
    return { allowed: true, ...(patch.length === 0 ? {} : { patch }) }
  } catch (error) {
    if (error instanceof InferenceFailed) throw badRequest(error.message)
    // The volume's objects cannot be read: the VM names a wrong object.
    if (error instanceof StatusError && error.code < 500) throw badRequest(error.message)
    throw error
  }
}

function asksForInference({ spec }: { readonly spec?: Partial<Record<'instancetype' | 'preference', unknown>> }): boolean {
  return [spec?.instancetype, spec?.preference].some((matcher) => {
    const { inferFromVolume } = (matcher ?? {}) as { readonly inferFromVolume?: unknown }
    return typeof inferFromVolume === 'string' && inferFromVolume !== ''
  })
}

function isIncomplete(vm: VirtualMachine): boolean {
  return asksForInference(vm) || (vm.spec.preference !== undefined && leavesStorageClassOpen(vm))
}

/** A VM may be created before the objects that it names, or with an invalid name. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof TransportError || (error instanceof StatusError && error.code >= 500)) throw error
}

function isWellFormed(vm: VirtualMachine): boolean {
  return validateStructural(vm, virtualMachineSchema).length === 0
}

function patchOf(before: VirtualMachine, after: VirtualMachine): JsonPatchOperation[] {
  const changes: JsonPatchOperation[] = []
  for (const field of ['instancetype', 'preference'] as const) {
    const [old, value] = [before.spec[field], after.spec[field]]
    if (old === undefined || old === value) continue
    const path = `/spec/${field}`
    changes.push(value === undefined ? { op: 'remove', path } : { op: 'replace', path, value })
  }
  const { dataVolumeTemplates } = after.spec
  if (dataVolumeTemplates !== before.spec.dataVolumeTemplates)
    changes.push({ op: 'replace', path: '/spec/dataVolumeTemplates', value: dataVolumeTemplates })
  const memory = (vm: VirtualMachine): unknown => vm.spec.template.spec.domain?.memory
  if (memory(before) !== undefined && memory(after) === undefined) changes.push({ op: 'remove', path: '/spec/template/spec/domain/memory' })
  const { annotations } = after.metadata
  if (annotations !== before.metadata.annotations) changes.push({ op: 'add', path: '/metadata/annotations', value: annotations })
  return changes
}

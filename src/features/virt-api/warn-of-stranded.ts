import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { InstancetypeMatcher, InstancetypeStatusRef, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { instancetypeKindOf, isNamespacedKind, preferenceKindOf } from '#features/instancetype/index.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'

/** Number of VMs that are named; the rest is counted. */
const mostNames = 10

type Kind = ReturnType<typeof instancetypeKindOf> | ReturnType<typeof preferenceKindOf>

/**
 * Warns when an instance type or preference is deleted that VMs need to start: those that name it
 * and have not captured a revision. The deletion is allowed.
 */
export async function warnOfStranded(client: Pick<Client, 'list'>, request: AdmissionRequest): Promise<AdmissionAnswer> {
  const kind = request.kind.kind as Kind
  const { items } = await client.list(virtualMachines, isNamespacedKind(kind) ? { namespace: request.namespace ?? '' } : {})
  const stranded = strandedBy(items, kind, request.name ?? '')
  return { allowed: true, warnings: stranded.length === 0 ? [] : [describe(kind, request.name ?? '', stranded)] }
}

/** Returns VMs that name the object and have no revision of it, as sorted `namespace/name`. */
export function strandedBy(vms: readonly VirtualMachine[], kind: Kind, name: string): string[] {
  const isInstancetype = kind === 'VirtualMachineInstancetype' || kind === 'VirtualMachineClusterInstancetype'
  const field = isInstancetype ? 'instancetype' : 'preference'
  const names = (matcher: InstancetypeMatcher | null | undefined): boolean =>
    matcher?.name === name && kindOf(isInstancetype ? instancetypeKindOf : preferenceKindOf, matcher) === kind
  const holds = (ref: InstancetypeStatusRef | null | undefined): boolean => (ref?.controllerRevisionRef?.name ?? '') !== '' && names(ref)
  return vms
    .filter(({ metadata, spec, status }) => {
      const matcher = spec[field]
      if (isBeingDeleted({ metadata }) || !names(matcher) || (matcher?.revisionName ?? '') !== '') return false
      return !holds(status?.[`${field}Ref`])
    })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .toSorted()
}

/** Returns undefined for an invalid kind. */
function kindOf(resolve: (matcher: InstancetypeMatcher) => Kind, matcher: InstancetypeMatcher): Kind | undefined {
  try {
    return resolve(matcher)
  } catch {
    return undefined
  }
}

function describe(kind: Kind, name: string, stranded: readonly string[]): string {
  const named = stranded.slice(0, mostNames).join(', ')
  const more = stranded.length > mostNames ? ` and ${stranded.length - mostNames} more` : ''
  const [machines, verb] = stranded.length === 1 ? ['VirtualMachine', 'names'] : ['VirtualMachines', 'name']
  return `${machines} ${named}${more} ${verb} ${kind} "${name}" and no copy of it was captured yet: without it, nothing says how large to start them`
}

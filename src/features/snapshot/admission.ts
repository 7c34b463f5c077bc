import { durationMs } from '#apimachinery/cel/values/time.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { validateName } from '#apimachinery/meta/name-rules.ts'
import type { TypedLocalObjectReference } from '#api/core/v1/references.ts'
import type { VirtualMachineRestore } from '#api/snapshot/v1beta1/virtual-machine-restore.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { isRestoreActive } from './restore/active-restore.ts'

/** Validates a snapshot by KubeVirt's rules and messages, and refuses an invalid deadline. */
export function validateSnapshot(snapshot: VirtualMachineSnapshot, old: VirtualMachineSnapshot | undefined): StatusCause[] {
  if (old !== undefined) return validateUnchanged(snapshot, old)
  const { source, failureDeadline, deletionPolicy } = snapshot.spec
  return [...validateMachine(source, 'spec.source'), ...validateDeadline(failureDeadline), ...validateDeletionPolicy(deletionPolicy)]
}

/** Validates a restore. `others` are the restores of its namespace. */
export function validateRestore(
  restore: VirtualMachineRestore,
  old: VirtualMachineRestore | undefined,
  others: readonly VirtualMachineRestore[],
): StatusCause[] {
  if (old !== undefined) return validateUnchanged(restore, old)
  return [
    ...validateMachine(restore.spec.target, 'spec.target'),
    ...validateTargetName(restore.spec.target.name, 'spec.target.name'),
    ...validatePatches(restore.spec.patches),
    ...validateVolumes(restore.spec),
    ...others
      .filter((other) => isRestoreActive(other) && semanticEqual(other.spec.target, restore.spec.target))
      .map((other) => invalid('spec.target', `VirtualMachineRestore "${other.metadata.name ?? ''}" in progress`)),
  ]
}

const restorePolicies: readonly unknown[] = [undefined, 'RandomizeNames', 'InPlace', 'PrefixTargetName']
const ownershipPolicies: readonly unknown[] = [undefined, 'Vm', 'None']

/** Validates what a restore says of volumes: an unknown policy would be the default one. */
function validateVolumes({
  volumeRestorePolicy,
  volumeOwnershipPolicy,
  volumeRestoreOverrides = [],
}: VirtualMachineRestore['spec']): StatusCause[] {
  const unsupported = (field: string, value: string, values: string): StatusCause => ({
    reason: 'FieldValueNotSupported',
    message: `"${value}" is none of ${values}`,
    field: `spec.${field}`,
  })
  return [
    ...(restorePolicies.includes(volumeRestorePolicy)
      ? []
      : [unsupported('volumeRestorePolicy', String(volumeRestorePolicy), 'RandomizeNames, InPlace, PrefixTargetName')]),
    ...(ownershipPolicies.includes(volumeOwnershipPolicy)
      ? []
      : [unsupported('volumeOwnershipPolicy', String(volumeOwnershipPolicy), 'Vm, None')]),
    ...volumeRestoreOverrides.flatMap(({ volumeName = '', restoreName = '' }, index) => {
      const field = `spec.volumeRestoreOverrides[${index}]`
      return [
        ...(volumeName === ''
          ? [{ reason: 'FieldValueRequired', message: 'names no volume of the VM', field: `${field}.volumeName` }]
          : []),
        ...(restoreName === ''
          ? []
          : validateName(restoreName, 'dns-subdomain').map((problem) =>
              invalid(`${field}.restoreName`, `"${restoreName}" is no name for a PersistentVolumeClaim: ${problem}`),
            )),
      ]
    }),
  ]
}

function validateUnchanged(object: { readonly spec: unknown }, old: { readonly spec: unknown }): StatusCause[] {
  // The grammar is KubeVirt's.
  return semanticEqual(object.spec, old.spec) ? [] : [invalid('spec', 'spec in immutable after creation')]
}

function validateMachine({ apiGroup, kind }: TypedLocalObjectReference, field: string): StatusCause[] {
  if (apiGroup === undefined) return [{ reason: 'FieldValueNotFound', message: 'missing apiGroup', field: `${field}.apiGroup` }]
  if (apiGroup !== 'kubevirt.io') return [invalid(`${field}.apiGroup`, 'invalid apiGroup')]
  return kind === 'VirtualMachine' ? [] : [invalid(`${field}.kind`, 'invalid kind')]
}

function validateDeadline(text: string | undefined): StatusCause[] {
  if (text === undefined || (durationMs(text) ?? -1) >= 0) return []
  return [invalid('spec.failureDeadline', `"${text}" is not a duration such as 5m or 1h30m; 0 is for ever`)]
}

/** KubeVirt would treat `delete` as an unknown policy and keep the content. */
function validateDeletionPolicy(policy: string | undefined): StatusCause[] {
  if (policy === undefined || policy === 'Delete' || policy === 'Retain') return []
  return [{ reason: 'FieldValueNotSupported', message: `"${policy}" is neither Delete nor Retain`, field: 'spec.deletionPolicy' }]
}

/**
 * Validates the name of a VM that the restore may have to create: the creation would fail
 * repeatedly.
 */
export function validateTargetName(name: string, field: string): StatusCause[] {
  return validateName(name, 'dns-subdomain').map((problem) => invalid(field, `"${name}" is no name for a VirtualMachine: ${problem}`))
}

/** Validates patches of a VM. Labels, annotations and the spec may be patched; never the name. */
export function validatePatches(patches: readonly string[] = []): StatusCause[] {
  return patches.flatMap((patch, index) => validatePatch(patch, `spec.patches[${index}]`))
}

function validatePatch(patch: string, field: string): StatusCause[] {
  const operations = operationsIn(patch)
  if (operations === undefined) return [invalid(field, `patch format is not valid: ${patch}`)]
  return operations
    .filter(({ path }) => typeof path !== 'string' || !/^\/(spec\/|metadata\/(labels|annotations)(\/|$))/.test(path))
    .map(({ path }) => invalid(field, `patching is valid only for elements under /spec/ only: ${JSON.stringify(path)}`))
}

function operationsIn(patch: string): readonly { readonly path?: unknown }[] | undefined {
  try {
    const operations = [JSON.parse(patch) as unknown].flat()
    return operations.every((operation) => typeof operation === 'object' && operation !== null) ? (operations as object[]) : undefined
  } catch {
    return undefined
  }
}

function invalid(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}

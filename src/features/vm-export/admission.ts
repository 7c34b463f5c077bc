import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'

/** Group and texts of a kind of source. KubeVirt's. */
interface SourceKind {
  readonly group: string
  readonly noName: string
  readonly otherGroup: string
}

const kinds: ReadonlyMap<string, SourceKind> = new Map([
  ['PersistentVolumeClaim', { group: '', noName: 'PVC name must not be empty', otherGroup: 'PVC API group must be missing or blank' }],
  [
    'VirtualMachineSnapshot',
    {
      group: 'snapshot.kubevirt.io',
      noName: 'VMSnapshot name must not be empty',
      otherGroup: 'VMSnapshot API group must be snapshot.kubevirt.io',
    },
  ],
  [
    'VirtualMachine',
    { group: 'kubevirt.io', noName: 'Virtual Machine name must not be empty', otherGroup: 'VM API group must be kubevirt.io' },
  ],
])

/**
 * Kinds that KubeVirt exports, some of them behind feature gates, and why they are refused here.
 */
const refusedKinds: ReadonlyMap<string, string> = new Map([
  ['VirtualMachineBackup', 'a VirtualMachineBackup cannot be exported: nothing is copied by one yet'],
  [
    'VirtualMachineTemplate',
    'VirtualMachineTemplate source requires the OCIExport feature gate and virt-template deployment to be enabled',
  ],
])

/** Validates an export. KubeVirt's rules and texts. */
export function validateExport(vmExport: VirtualMachineExport, old: VirtualMachineExport | undefined): StatusCause[] {
  const { spec } = vmExport
  if (old !== undefined) return semanticEqual(spec, old.spec) ? [] : [invalid('spec', 'spec in immutable after creation')]
  return [...validateSource(vmExport), ...validateDuration(vmExport)]
}

function validateSource({ spec: { source } }: VirtualMachineExport): StatusCause[] {
  const kind = kinds.get(source.kind)
  if (kind === undefined) return [invalid('spec.source.kind', refusedKinds.get(source.kind) ?? 'invalid kind')]
  return [
    ...(source.name === '' ? [invalid('spec.source.name', kind.noName)] : []),
    ...((source.apiGroup ?? '') === kind.group ? [] : [invalid('spec.source.APIGroup', kind.otherGroup)]),
  ]
}

function validateDuration({ spec: { ttlDuration } }: VirtualMachineExport): StatusCause[] {
  if (ttlDuration === undefined) return []
  const ms = durationMs(ttlDuration)
  if (ms !== undefined && ms > 0) return []
  return [invalid('spec.ttlDuration', `must be a duration above 0, such as 2h or 90m, and is ${JSON.stringify(ttlDuration)}`)]
}

function invalid(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}

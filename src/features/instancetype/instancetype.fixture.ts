import { deepFreeze } from '#apimachinery/equality.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { holderOf } from './codec/holder.ts'
import { wantedRevision } from './codec/new-revision.ts'
import { revisionFormatOf, type RevisionFormat } from './codec/storage-format.ts'
import type { Instancetype, Preference } from './types.ts'

/** A VM of the smallest size; frozen, as objects from caches are. */
export function vmOf(spec: Partial<VirtualMachineInstanceSpec> = {}, annotations?: Record<string, string>): VirtualMachine {
  return deepFreeze({
    metadata: { name: 'web', namespace: 'team-a', uid: '99999999-0000-4000-8000-000000000000', generation: 1 },
    spec: {
      runStrategy: 'Halted',
      template: {
        ...(annotations === undefined ? {} : { metadata: { annotations } }),
        spec: { domain: { devices: {} }, ...spec },
      },
    },
  } satisfies VirtualMachine)
}

/** An instance type with two CPUs and 1Gi. */
export function instancetypeOf(spec: Partial<VirtualMachineInstancetypeSpec> = {}): Instancetype {
  return deepFreeze({
    kind: 'VirtualMachineInstancetype',
    metadata: { name: 'small', namespace: 'team-a', uid: '7c0e0000-0000-4000-8000-000000000000', generation: 3 },
    spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' }, ...spec },
  } satisfies Instancetype)
}

/** A preference. */
export function preferenceOf(spec: VirtualMachinePreferenceSpec = {}): Preference {
  return deepFreeze({
    kind: 'VirtualMachinePreference',
    metadata: { name: 'linux', namespace: 'team-a', uid: '11110000-0000-4000-8000-000000000000', generation: 1 },
    spec,
  } satisfies Preference)
}

/** The revision format of a cluster with default settings. */
export const defaultForm = revisionFormatOf(defaultClusterConfig)

/** The revision in which an object is pinned for a VM. */
export function revisionOf(
  vm: VirtualMachine,
  object: Instancetype | Preference,
  format: RevisionFormat = defaultForm,
): ControllerRevision {
  return wantedRevision(holderOf(vm), object, format)
}

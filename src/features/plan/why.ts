import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import {
  describeConflicts,
  expand,
  explain,
  findMatchedObjects,
  inferMatchers,
  type Lookup,
  type Row,
} from '#features/instancetype/index.ts'

/** Source of each value of a VM's next guest. */
export interface Explanation {
  readonly rows: readonly Row[]
  /** Reason why the VM cannot start: then the rows are its own values. */
  readonly conflict?: string
}

/**
 * Explains a VM, or the part of it at or below a path. @throws CaptureFailed when an object that it
 * names is missing
 */
export async function why(lookup: Lookup, stored: VirtualMachine, config: ClusterConfig, path?: string): Promise<Explanation> {
  const { vm } = await inferMatchers(lookup, stored)
  const { instancetype, preference } = await findMatchedObjects(lookup, vm)
  const { conflicts } = expand(vm, instancetype?.object, preference?.object, config)
  const rows = explain({ vm, instancetype, preference, config }, path === undefined ? undefined : [vmiPathOf(path)])
  return { rows, ...(conflicts.length === 0 ? {} : { conflict: describeConflicts(conflicts) }) }
}

/**
 * Parses a path as users write it: from the VM's root, from the template, or without the common
 * prefix.
 */
export function vmiPathOf(path: string): string {
  const inTemplate = path.replace(/^\.?(virtualMachine\.)?/, '').replace(/^spec\.template\./, '')
  return /^(spec|metadata)\b/.test(inTemplate) ? inTemplate : `spec.${inTemplate}`
}

import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import type { Observed } from './decide.ts'
import type { Ports } from './ports.ts'

/** Reads a VM and its VMI from the caches; undefined when there is no such VM. */
export function observe(ports: Pick<Ports, 'vms' | 'vmis'>, { namespace, name }: Request): Observed | undefined {
  const vm = ports.vms.get(namespace, name)
  if (vm === undefined) return undefined
  const vmi = ports.vmis.get(namespace, name)
  return { vm, vmi: vmi !== undefined && isControlledBy(vmi, vm) ? vmi : undefined }
}

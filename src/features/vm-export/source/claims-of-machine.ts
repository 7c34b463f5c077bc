import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { claimNameOf } from '#features/vmi/index.ts'

/** Claims of a VM, each once. */
interface ClaimsOfMachine {
  readonly disks: readonly string[]
  /** Claims with the memory of its guest. */
  readonly dumps: readonly string[]
}

/** Returns the claims that an export of a VM offers beside its persistent state. Pure. */
export function claimsOfMachine({ spec, status }: Pick<VirtualMachine, 'spec' | 'status'>): ClaimsOfMachine {
  const volumes = spec.template.spec.volumes ?? []
  const claims = (isDump: boolean): string[] =>
    volumes.flatMap((volume) => ((volume.memoryDump !== undefined) === isDump ? (claimNameOf(volume) ?? []) : []))
  const disks = new Set(claims(false))
  const dumps = new Set([...claims(true), ...(status?.memoryDumpRequest ? [status.memoryDumpRequest.claimName] : [])])
  return { disks: [...disks], dumps: [...dumps].filter((name) => !disks.has(name)) }
}

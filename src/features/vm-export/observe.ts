import { certificateDurationsOf, exportAuthorityTerms } from '#features/certificates/index.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import type { Term } from '#runtime/certificates/rotation.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { controlledBy } from '#runtime/ownership/owner-index.ts'
import type { Observed } from './decide.ts'
import type { Ports } from './ports.ts'
import { observeSource } from './source/observe-source.ts'

/** Reads what an export consists of. Undefined: there is no such export. */
export async function observe(ports: Ports, { namespace, name }: Request, signal: AbortSignal): Promise<Observed | undefined> {
  const vmExport = ports.exports.get(namespace, name)
  if (vmExport === undefined) return undefined
  return {
    vmExport,
    source: await observeSource(ports, vmExport, signal),
    external: await ports.external(vmExport),
    pod: controlledBy(ports.pods, vmExport)[0],
    hasService: controlledBy(ports.services, vmExport).length > 0,
    hasAuthority: ports.authority.current() !== undefined,
    certificateParameters: parametersOf(certificateTermOf(ports)),
    now: ports.clock.now(),
  }
}

/** Returns the durations of the certificates of export servers, as configured now. */
export function certificateTermOf({ kubevirts }: Pick<Ports, 'kubevirts'>): Term {
  return exportAuthorityTerms(certificateDurationsOf(chooseKubeVirt(kubevirts.list()) ?? { spec: {} }, false)).server
}

/** KubeVirt's notation: Go's nanoseconds. */
function parametersOf({ durationMs, renewBeforeMs }: Term): string {
  return JSON.stringify({ Duration: durationMs * 1e6, RenewBefore: renewBeforeMs * 1e6 })
}

import { HyperConvergedSpec as schema } from '#api/hco/v1/schema.generated.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { HyperConvergedStatus } from '#api/hco/v1/status.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { patchAnnotations } from '../configuration/overrides/override.ts'
import { valueAt } from '../value-at.ts'

/**
 * Counts the operations of each JSON patch, whether or not a component takes them. An annotation
 * that is absent or no list counts as none. Pure.
 */
export function unsafeModificationsOf(annotations: Readonly<Record<string, string>> | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.values(patchAnnotations).map((name) => [name, operationsIn(annotations?.[name])]))
}

function operationsIn(text: string | undefined): number {
  try {
    const operations: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(operations) ? operations.length : 0
  } catch (error) {
    if (error instanceof SyntaxError) return 0
    throw error
  }
}

/** Tells for how long each component has been updated to another version. Pure. */
export function updateSecondsOf(
  status: HyperConvergedStatus | undefined,
  now: number,
): readonly { readonly component: string; readonly seconds: number }[] {
  return (status?.steadyvm?.components ?? []).flatMap(({ name, state, targetVersion, since }) =>
    state === 'Progressing' && targetVersion !== undefined && since !== undefined
      ? [{ component: name, seconds: Math.max(0, (now - Date.parse(since)) / 1_000) }]
      : [],
  )
}

/** Memory overcommit with the default of the schema, which an old object may lack. Pure. */
export function overcommitOf(hyperconverged: Pick<HyperConverged, 'spec'> | undefined): number | undefined {
  if (hyperconverged === undefined) return undefined
  const spec = applyDefaults(hyperconverged.spec ?? {}, schema)
  const percentage = valueAt(spec, ['virtualization', 'higherWorkloadDensity', 'memoryOvercommitPercentage'])
  return typeof percentage === 'number' ? percentage : undefined
}

/** Reads `status.podIPs` of the operator's pod. Undefined: it is not known. Pure. */
export function isSingleStackIpv6(podIps: string | undefined): boolean | undefined {
  const addresses = (podIps ?? '').split(',').filter((address) => address !== '')
  return addresses.length === 0 ? undefined : addresses.every((address) => address.includes(':'))
}

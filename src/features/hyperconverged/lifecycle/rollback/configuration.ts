import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { renderedHash } from '../../components/objects/rendered-hash.ts'
import { consentAnnotation } from '../../configuration/gates/consent.ts'
import { patchAnnotations } from '../../configuration/overrides/override.ts'

/** What HyperConverged says about the components. */
export interface Configuration {
  readonly spec: HyperConverged['spec']
  /** Annotations that configure components. */
  readonly annotations: Readonly<Record<string, string>>
}

/** Annotations from which components are rendered. Others are notes. */
export const configuringAnnotations: readonly string[] = [
  'deployOVS',
  'hco.kubevirt.io/deployPasstNetworkBinding',
  'hco.kubevirt.io/tuningPolicy',
  consentAnnotation,
  ...Object.values(patchAnnotations),
]

/** Returns what an object says about the components. Pure. */
export function configurationOf({ spec, metadata }: Pick<HyperConverged, 'spec' | 'metadata'>): Configuration {
  const { annotations = {} } = metadata
  const own = configuringAnnotations.flatMap((name) => (annotations[name] === undefined ? [] : [[name, annotations[name]] as const]))
  return { spec: spec ?? {}, annotations: Object.fromEntries(own) }
}

/** Returns the object as if it had another configuration. Pure. */
export function withConfiguration(hyperconverged: HyperConverged, { spec, annotations }: Configuration): HyperConverged {
  const others = Object.entries(hyperconverged.metadata.annotations ?? {}).filter(([name]) => !configuringAnnotations.includes(name))
  return {
    ...hyperconverged,
    ...(spec === undefined ? {} : { spec }),
    metadata: { ...hyperconverged.metadata, annotations: { ...Object.fromEntries(others), ...annotations } },
  }
}

/**
 * Returns a hash of a configuration. The generation would not do, since annotations do not change
 * it. Pure.
 */
export function revisionOf(configuration: Configuration): string {
  return renderedHash(configuration)
}

import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { RenderingProblem } from '../../components/rendering/value-source.ts'

/**
 * Annotation of HyperConverged that says what becomes of an edit that a component refuses:
 *
 *     Retry      the other components keep it, and the one that refuses is tried again. The default
 *     RollBack   all components go back to the last configuration that all of them had
 */
export const onFailureAnnotation = 'steadyvm.io/on-failure'

const values: readonly string[] = ['Retry', 'RollBack']

/** Reports whether a refused edit is to be rolled back. Pure. */
export function isRollBackRequested({ metadata }: Pick<HyperConverged, 'metadata'>): boolean {
  return metadata.annotations?.[onFailureAnnotation] === 'RollBack'
}

/** Returns what is wrong with the annotation. Pure. */
export function onFailureProblems({ metadata }: Pick<HyperConverged, 'metadata'>): readonly RenderingProblem[] {
  const value = metadata.annotations?.[onFailureAnnotation]
  if (value === undefined || values.includes(value)) return []
  return [
    { field: `metadata.annotations[${onFailureAnnotation}]`, message: `must be ${values.join(' or ')}, and is ${JSON.stringify(value)}` },
  ]
}

import { functions as all } from './library/functions.ts'
import type { Overload } from './types/signature.ts'
import type { CelType } from './types/types.ts'

/**
 * Variables of an expression, with their types. All functions of Kubernetes' CEL are always
 * available.
 */
export interface CelEnvironment {
  readonly variables: ReadonlyMap<string, CelType>
}

/** An environment with the given variables. */
export function createEnvironment(variables: Readonly<Record<string, CelType>>): CelEnvironment {
  return { variables: new Map(Object.entries(variables)) }
}

function group(overloads: readonly Overload[]): ReadonlyMap<string, readonly Overload[]> {
  return Map.groupBy(overloads, ({ name }) => name)
}

const functions = group(all)

/** Returns all overloads of a function; empty for an unknown function. */
export function overloadsOf(name: string): readonly Overload[] {
  return functions.get(name) ?? []
}

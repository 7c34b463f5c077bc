import { type CelType, dyn, optionalOf } from './types.ts'

/** Types bound to type parameters. Failed attempts are rolled back. */
export interface Bindings {
  get(name: string): CelType | undefined
  set(name: string, type: CelType): void
  /** Runs a trial, and keeps its bindings only if it succeeds. */
  attempt(trial: () => boolean): boolean
}

/** Nothing is known at first. */
export function createBindings(): Bindings {
  const bound = new Map<string, CelType>()
  const trail: [string, CelType | undefined][] = []
  return {
    get: (name) => bound.get(name),
    set(name, type) {
      trail.push([name, bound.get(name)])
      bound.set(name, type)
    },
    attempt(trial) {
      const mark = trail.length
      if (trial()) return true
      for (const [name, before] of trail.splice(mark).toReversed()) {
        if (before === undefined) bound.delete(name)
        else bound.set(name, before)
      }
      return false
    },
  }
}

/** Replaces bound parameters of a type; unbound ones become dyn when `unknownAsDyn` is set. */
export function substitute(bindings: Bindings, type: CelType, unknownAsDyn = false): CelType {
  if (type.kind === 'parameter') {
    const bound = bindings.get(type.name)
    if (bound !== undefined) return substitute(bindings, bound, unknownAsDyn)
    return unknownAsDyn ? dyn : type
  }
  if (type.kind === 'list') {
    const element = substitute(bindings, type.element, unknownAsDyn)
    return element === type.element ? type : { ...type, element }
  }
  if (type.kind === 'map') {
    const key = substitute(bindings, type.key, unknownAsDyn)
    const value = substitute(bindings, type.value, unknownAsDyn)
    return key === type.key && value === type.value ? type : { ...type, key, value }
  }
  if (type.kind === 'opaque') {
    return type.parameters.length === 0
      ? type
      : { ...type, parameters: type.parameters.map((each) => substitute(bindings, each, unknownAsDyn)) }
  }
  if (type.kind === 'type') return { ...type, of: substitute(bindings, type.of, unknownAsDyn) }
  return type
}

/**
 * Reports whether a type is assignable to the wanted one. Adds parameters to the bindings, also on
 * failure.
 */
export function unify(bindings: Bindings, actual: CelType, wanted: CelType): boolean {
  if (actual === wanted) return true
  if (wanted.kind === 'parameter') {
    const decided = bindParameter(bindings, actual, wanted.name)
    if (decided !== undefined) return decided
  }
  if (actual.kind === 'parameter') {
    const decided = bindParameter(bindings, wanted, actual.name)
    if (decided !== undefined) return decided
  }
  if (actual.kind === 'dyn' || wanted.kind === 'dyn') return true
  if (actual.kind === 'null') return wanted.kind === 'null' || takesNull(wanted)
  if (wanted.kind === 'null') return takesNull(actual)
  return unifyStructure(bindings, actual, wanted)
}

function unifyStructure(bindings: Bindings, actual: CelType, wanted: CelType): boolean {
  if (actual.kind === 'list' && wanted.kind === 'list') return unify(bindings, actual.element, wanted.element)
  if (actual.kind === 'map' && wanted.kind === 'map') {
    return unify(bindings, actual.key, wanted.key) && unify(bindings, actual.value, wanted.value)
  }
  if (actual.kind === 'type' && wanted.kind === 'type') return true
  if (actual.kind === 'opaque' && wanted.kind === 'opaque') {
    return actual.name === wanted.name && actual.parameters.every((each, index) => unify(bindings, each, wanted.parameters[index] ?? dyn))
  }
  if (actual.kind === 'object' && wanted.kind === 'object') return actual.name === wanted.name
  return actual.kind === wanted.kind
}

function takesNull(type: CelType): boolean {
  return type.kind === 'object' || type.kind === 'timestamp' || type.kind === 'duration' || type.kind === 'opaque'
}

/** Undefined when the type cannot be bound because it contains the parameter itself. */
function bindParameter(bindings: Bindings, type: CelType, name: string): boolean | undefined {
  if (type.kind === 'parameter' && type.name === name) return true
  const bound = bindings.get(name)
  if (bound !== undefined) {
    if (!unify(bindings, type, bound)) return false
    bindings.set(name, moreGeneral(bound, type))
    return true
  }
  if (mentions(bindings, type, name)) return undefined
  bindings.set(name, type)
  return true
}

/** Returns the more general one of two unifiable types. */
export function moreGeneral(left: CelType, right: CelType): CelType {
  if (left.kind === 'dyn' || right.kind === 'dyn') return dyn
  if (left.kind === 'null') return right
  if (right.kind === 'null' || left.kind !== 'list' || right.kind !== 'list') {
    if (left.kind === 'opaque' && right.kind === 'opaque' && left.name === 'optional_type') {
      return optionalOf(moreGeneral(left.parameters[0] ?? dyn, right.parameters[0] ?? dyn))
    }
    return left
  }
  return { kind: 'list', element: moreGeneral(left.element, right.element) }
}

function mentions(bindings: Bindings, type: CelType, name: string): boolean {
  if (type.kind === 'parameter') {
    if (type.name === name) return true
    const bound = bindings.get(type.name)
    return bound !== undefined && mentions(bindings, bound, name)
  }
  if (type.kind === 'list') return mentions(bindings, type.element, name)
  if (type.kind === 'map') return mentions(bindings, type.key, name) || mentions(bindings, type.value, name)
  if (type.kind === 'opaque') return type.parameters.some((each) => mentions(bindings, each, name))
  if (type.kind === 'type') return mentions(bindings, type.of, name)
  return false
}

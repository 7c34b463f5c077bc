import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import type { Found } from '../lookup.ts'
import type { Instancetype, Preference } from '../types.ts'
import { leavesOf, sameLeaf } from '../leaves.ts'
import { expandInputs, overridden, type ExpansionInputs, type Overridden } from './overridden.ts'
import type { Source } from './sources.ts'

/** Object that a value or a changed default comes from. */
export interface Origin {
  readonly kind: string
  readonly name: string
  readonly generation?: number
  /** ControllerRevision with the captured object; absent for the live object. */
  readonly revision?: string
}

/** An effective value of a VMI and its origin. */
export interface Row {
  readonly path: string
  readonly value: unknown
  readonly source: Source
  /** Absent for a built-in default. */
  readonly object: Origin | undefined
  /** Overridden values, next in precedence first. */
  readonly overrode: readonly Overridden[]
}

/**
 * Returns a row for each value of the effective VMI, in document order; with `paths`, only for
 * those and below.
 */
export function explain(inputs: ExpansionInputs, paths?: readonly string[]): Row[] {
  const given = expandInputs(inputs)
  const { vmi, sources } = given
  const origins = originsOf(inputs)
  const plain = leavesOf(expandInputs({ ...inputs, config: defaultClusterConfig }).vmi)
  return [...leavesOf(vmi)]
    .filter(([path]) => paths === undefined || paths.some((wanted) => isAtOrBelow(path, wanted)))
    .map(([path, value]) => {
      const source = sources.get(path) ?? 'default'
      if (source === 'default' && !(plain.has(path) && sameLeaf(plain.get(path), value))) return configured(path, value, plain)
      return { path, value, source, object: origins[source], overrode: overridden(inputs, path, given) }
    })
}

/** Detects defaults that the KubeVirt object changes, by expanding without it. */
function configured(path: string, value: unknown, plain: ReadonlyMap<string, unknown>): Row {
  const overrode: Overridden[] = plain.has(path) ? [{ source: 'default', value: plain.get(path) }] : []
  return { path, value, source: 'default', object: { kind: 'KubeVirt', name: 'kubevirt' }, overrode }
}

function isAtOrBelow(path: string, wanted: string): boolean {
  return path === wanted || path.startsWith(`${wanted}.`) || path.startsWith(`${wanted}[`)
}

function originsOf({ vm, instancetype, preference }: ExpansionInputs): Readonly<Record<Source, Origin | undefined>> {
  const { name = '', generation } = vm.metadata
  return {
    vm: { kind: 'VirtualMachine', name, ...(generation === undefined ? {} : { generation }) },
    instancetype: originOf(instancetype),
    preference: originOf(preference),
    default: undefined,
  }
}

function originOf(found: Found<Instancetype | Preference> | undefined): Origin | undefined {
  if (found === undefined) return undefined
  const { kind, metadata } = found.object
  const revision = found.revision?.metadata.name
  return {
    kind,
    name: metadata.name ?? '',
    ...(metadata.generation === undefined ? {} : { generation: metadata.generation }),
    ...(revision === undefined ? {} : { revision }),
  }
}

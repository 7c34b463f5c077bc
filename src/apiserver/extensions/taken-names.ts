import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { TakenNames } from './definition-status.ts'

/** Where definitions lie in the store. */
export const definitionsKey = 'apiextensions.k8s.io/customresourcedefinitions'

/**
 * Names that are being given to definitions, by the names of these: what is not committed yet is
 * taken all the same.
 */
export type GrantedNames = ReadonlyMap<string, { readonly group: string; readonly names: CustomResourceDefinitionNames }>

/** Names in the definition's group that other definitions were given, or that are built in. */
export function takenNames(
  store: ObjectStore,
  registry: ResourceRegistry,
  crd: CustomResourceDefinition,
  granted: GrantedNames,
): TakenNames {
  const { group } = crd.spec
  const others = store
    .list(definitionsKey)
    .map(({ object }) => object as CustomResourceDefinition)
    .filter((other) => other.spec.group === group && other.metadata?.name !== crd.metadata?.name)
  const given = others.flatMap((other) => (other.status?.acceptedNames === undefined ? [] : [other.status.acceptedNames]))
  const builtIn: CustomResourceDefinitionNames[] = registry
    .all()
    .filter((definition) => definition.group === group && !definition.custom)
    .map(({ plural, singular, shortNames, kind, listKind }) => ({ plural, singular, shortNames: [...shortNames], kind, listKind }))
  const giving = [...granted].flatMap(([name, grant]) => (name !== crd.metadata?.name && grant.group === group ? [grant.names] : []))
  const names = [...given, ...giving, ...builtIn]
  return {
    resources: new Set(
      names.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]).filter((name) => name !== ''),
    ),
    kinds: new Set(names.flatMap(({ kind, listKind = '' }) => [kind, listKind]).filter((name) => name !== '')),
  }
}

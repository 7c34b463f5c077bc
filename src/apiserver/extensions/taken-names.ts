import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { TakenNames } from './definition-status.ts'

/** Storage key of definitions. */
export const definitionsKey = 'apiextensions.k8s.io/customresourcedefinitions'

/** Names accepted for definitions in writes that are not committed yet. */
export type GrantedNames = ReadonlyMap<string, { readonly group: string; readonly names: CustomResourceDefinitionNames }>

/** Returns the names in a group that belong to other definitions or built-in kinds. */
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

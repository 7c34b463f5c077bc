import { isJsonObject } from '#apimachinery/own-property.ts'

/**
 * An object of a file-based catalog of the Operator Lifecycle Manager (OLM). `schema` tells its
 * kind, and those of other schemas than `olm.*` mean nothing to OLM.
 */
export interface CatalogObject {
  readonly schema: string
  readonly package?: string
  readonly name?: string
}

/** A package, `schema: olm.package`. */
export interface CatalogPackage extends CatalogObject {
  readonly defaultChannel?: string
  readonly description?: string
}

/** A version in a channel, and those from which OLM upgrades to it. */
export interface ChannelEntry {
  readonly name: string
  readonly replaces?: string
  readonly skips?: readonly string[]
  readonly skipRange?: string
}

/** A channel, `schema: olm.channel`. */
export interface CatalogChannel extends CatalogObject {
  readonly entries?: readonly ChannelEntry[]
}

/** Property of a bundle, such as `olm.package` with name and version. */
export interface BundleProperty {
  readonly type: string
  readonly value: unknown
}

/** A bundle, `schema: olm.bundle`. */
export interface CatalogBundle extends CatalogObject {
  readonly image?: string
  readonly properties?: readonly BundleProperty[]
  readonly relatedImages?: readonly { readonly name: string; readonly image: string }[]
}

/** Messages for those who use a deprecated part, `schema: olm.deprecations`. */
export interface CatalogDeprecations extends CatalogObject {
  readonly entries?: readonly {
    readonly reference?: { readonly schema?: string; readonly name?: string }
    readonly message?: string
  }[]
}

/** Objects of a catalog by their schema. */
export interface Catalog {
  readonly packages: readonly CatalogPackage[]
  readonly channels: readonly CatalogChannel[]
  readonly bundles: readonly CatalogBundle[]
  readonly deprecations: readonly CatalogDeprecations[]
}

/** Sorts the objects by their schema. Pure. */
export function catalogOf(objects: readonly CatalogObject[]): Catalog {
  const of = <T extends CatalogObject>(schema: string): readonly T[] => objects.filter((object): object is T => object.schema === schema)
  return {
    packages: of<CatalogPackage>('olm.package'),
    channels: of<CatalogChannel>('olm.channel'),
    bundles: of<CatalogBundle>('olm.bundle'),
    deprecations: of<CatalogDeprecations>('olm.deprecations'),
  }
}

/** Values of the properties of a type. Pure. */
export function propertiesOf({ properties = [] }: CatalogBundle, type: string): readonly unknown[] {
  return properties.flatMap((property) => (property.type === type ? [property.value] : []))
}

/** Name and version of a bundle in its property `olm.package`. Pure. */
export function versionOf(
  bundle: CatalogBundle,
): { readonly packageName: string; readonly version: string; readonly release: string } | undefined {
  const [value] = propertiesOf(bundle, 'olm.package')
  if (!isJsonObject(value)) return undefined
  const text = (field: string): string => (typeof value[field] === 'string' ? value[field] : '')
  return { packageName: text('packageName'), version: text('version'), release: text('release') }
}

import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  SelectableField,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import { compileJsonPath } from '#apimachinery/json/json-path.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { compareVersions } from '#apiserver/discovery/compare-versions.ts'
import { defineResource, openSchema } from '#apiserver/registry/define-resource.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import type { ResourceDefinition, VersionFamily } from '#apiserver/registry/resource-definition.ts'
import { type ConversionPorts, conversionOf } from './conversion/conversion-webhook.ts'
import { customColumns } from './custom-columns.ts'

/** A version of a custom resource, and whether it is served. */
export interface CustomVersion {
  readonly served: boolean
  readonly storage: boolean
  readonly definition: ResourceDefinition
}

/** Returns one resource per version of a CustomResourceDefinition. */
export function customVersions(crd: CustomResourceDefinition, ports: ConversionPorts): readonly CustomVersion[] {
  const storageVersion = crd.spec.versions.find(({ storage }) => storage)?.name ?? crd.spec.versions[0]?.name ?? ''
  const family = familyOf(crd, ports)
  return crd.spec.versions.map((version) => ({
    served: version.served,
    storage: version.name === storageVersion,
    definition: customDefinition(crd, version, apiVersionOf({ group: crd.spec.group, version: storageVersion }), family),
  }))
}

function familyOf({ metadata, spec }: CustomResourceDefinition, ports: ConversionPorts): VersionFamily {
  return {
    uid: metadata?.uid ?? '',
    schemas: new Map(spec.versions.map((version) => [apiVersionOf({ group: spec.group, version: version.name }), schemaOf(version)])),
    convert: conversionOf(spec.conversion ?? { strategy: 'None' }, ports),
  }
}

function schemaOf({ schema }: CustomResourceDefinitionVersion): StructuralSchema {
  return schema?.openAPIV3Schema ?? openSchema
}

function customDefinition(
  crd: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  storageApiVersion: string,
  family: VersionFamily,
): ResourceDefinition {
  const { group, scope } = crd.spec
  const { plural, singular, kind, listKind, shortNames, categories } =
    crd.status?.acceptedNames?.plural === undefined ? crd.spec.names : crd.status.acceptedNames
  const { subresources } = version
  const warning = deprecation(crd, version)
  return defineResource({
    group,
    version: version.name,
    kind,
    plural,
    singular: singular ?? kind.toLowerCase(),
    listKind: listKind ?? `${kind}List`,
    shortNames: shortNames ?? [],
    categories: categories ?? [],
    namespaced: scope === 'Namespaced',
    storageApiVersion,
    family,
    schema: schemaOf(version),
    hasStatus: subresources?.status !== undefined && subresources.status !== null,
    ...(subresources?.scale === undefined || subresources.scale === null ? {} : { scale: subresources.scale }),
    hasGeneration: true,
    unconditionalUpdate: false,
    custom: true,
    columns: customColumns(version.additionalPrinterColumns),
    selectableFields: selectableFields(version.selectableFields ?? []),
    terminating: isBeingDeleted(crd),
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
  })
}

function deprecation(
  { spec }: CustomResourceDefinition,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): string | undefined {
  if (deprecated !== true) return undefined
  if (deprecationWarning !== undefined) return deprecationWarning
  const { group, names, versions } = spec
  const [newest] = versions
    .filter((version) => version.served && version.deprecated !== true && compareVersions(version.name, name) < 0)
    .toSorted((a, b) => compareVersions(a.name, b.name))
  const instead = newest === undefined ? '' : `; use ${group}/${newest.name} ${names.kind}`
  return `${group}/${name} ${names.kind} is deprecated${instead}`
}

function selectableFields(fields: readonly SelectableField[]): ReadonlyMap<string, (object: KubeObject) => string> {
  return new Map(
    fields.map(({ jsonPath }) => {
      const find = compileJsonPath(jsonPath)
      return [jsonPath.replace(/^\./, ''), (object: KubeObject) => selectable(find(object)[0])]
    }),
  )
}

function selectable(value: unknown): string {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : ''
}

import type {
  ConversionWebhookClientConfig,
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { stringify } from 'yaml'
import type { CustomKind, CustomVersion } from './custom-kind.ts'
import type { DeclarationIndex } from './declaration.ts'
import { inlineReferences, type SchemaNode, withoutDescriptions } from './schema-node.ts'
import { type Dialect, keyOf, SchemaBuilder } from './structural-schema.ts'

/** The whole schema of a kind, without references. */
export function customSchema(kind: Pick<CustomKind, 'file' | 'kind'>, index: DeclarationIndex, dialect: Dialect): StructuralSchema {
  const builder = new SchemaBuilder(index, dialect)
  const declarations = new Map(index.all().map((declaration) => [keyOf(declaration), declaration]))
  const resolve = (ref: string): SchemaNode => {
    const declaration = declarations.get(ref)
    return declaration === undefined ? {} : builder.ofInterface(declaration)
  }
  return inlineReferences(builder.ofInterface(index.require(kind.file, kind.kind)), resolve)
}

function versionOf(version: CustomVersion, kind: CustomKind, schema: StructuralSchema): CustomResourceDefinitionVersion {
  return {
    name: version.name,
    served: version.served ?? true,
    storage: version.storage,
    ...(version.deprecated === true ? { deprecated: true } : {}),
    ...(version.deprecationWarning === undefined ? {} : { deprecationWarning: version.deprecationWarning }),
    ...(kind.columns.length > 0 ? { additionalPrinterColumns: [...kind.columns] } : {}),
    // An old version is explained by the new one of the same interface; the definition is large
    // enough.
    schema: { openAPIV3Schema: version.storage || version.file !== undefined ? schema : withoutDescriptions(schema) },
    ...(kind.subresources === undefined ? {} : { subresources: kind.subresources }),
  }
}

function conversionBy(clientConfig: ConversionWebhookClientConfig): CustomResourceConversion {
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } }
}

/** The CustomResourceDefinition of a kind. */
export function customResourceDefinition(kind: CustomKind, index: DeclarationIndex, dialect: Dialect): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${kind.plural}.${kind.group}`,
      labels: { 'kubevirt.io': '' },
      ...(kind.annotations === undefined ? {} : { annotations: kind.annotations }),
    },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        // An API server drops an empty list, and the next apply would conflict with its absence.
        ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
        ...(kind.categories.length > 0 ? { categories: [...kind.categories] } : {}),
      },
      scope: kind.scope,
      ...(kind.converter === undefined ? {} : { conversion: conversionBy(kind.converter) }),
      // Without a converter, conversion is left out: installing a newer CRD must not disable what
      // the cluster has enabled.
      versions: kind.versions.map((version) =>
        versionOf(version, kind, customSchema({ kind: kind.kind, file: version.file ?? kind.file }, index, dialect)),
      ),
    },
  }
}

/** The manifest, as YAML that any parser reads: no anchors, no folded lines. */
export function renderManifest(definition: CustomResourceDefinition): string {
  const text = stringify(definition, { aliasDuplicateObjects: false, lineWidth: 0 })
  return `# Made by tools/generate from the interfaces in src/api. Do not edit: run \`npm run generate\`.\n${text}`
}

/**
 * All definitions as one JSON array, one a line: what a machine reads at start, a hundred times
 * faster than the YAML.
 */
export function renderBundle(definitions: readonly CustomResourceDefinition[]): string {
  return `[\n${definitions.map((definition) => JSON.stringify(definition)).join(',\n')}\n]\n`
}

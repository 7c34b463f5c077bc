import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { startOracle } from './oracle.ts'

/** A difference: `CRD/version path keyword`, and both values. */
interface Difference {
  readonly where: string
  readonly upstream: unknown
  readonly ours: unknown
}

/** Deliberate differences, and why. */
const deliberate: readonly (readonly [where: RegExp, why: string, applies?: (difference: Difference) => boolean])[] = [
  [
    / format$/,
    'integers have the bounds of the Go type, in which upstream fails to decode others',
    ({ upstream }) => upstream === undefined,
  ],
  [
    / minimum$/,
    'unsigned integers are refused by the schema, where upstream fails to decode them',
    ({ upstream, ours }) => upstream === undefined && ours === 0,
  ],
  [/ description$/, 'sentences are written here'],
  [
    /\.(template|template\.spec|spec) required$|\.domain required$| \.spec required$/,
    'an instance type may give the whole domain, and a template without a spec is a mistake',
  ],
  [/(\.name|secretRef\.name) default$/, 'a reference without a name is not completed to one with an empty name'],
  [/launchSecurity\.snp|LaunchSecurity\.snp/, 'fields of later versions are kept'],
  [
    /\.(steadyvm|deviceStatus|volumeAttributesClassName|synchronizationPlacement|overlayScratchSize|snapshotMode|observedGeneration) is more$/,
    'our own fields, and those of other versions',
  ],
  [/x-kubernetes-preserve-unknown-fields$/, 'fields of other versions are kept where upstream prunes them'],
  [/dataVolumeTemplates\[\] nullable$/, 'a null among templates is a mistake'],
  [/accessModes x-kubernetes-list-type$/, 'lists are replaced as a whole, also where upstream does not say so'],
  [/^virtualmachineinstancepresets\S* (names|storage)$/, 'a deprecated kind is not in `all`, and is stored in v1'],
  [/^kubevirts\S* labels$/, 'all CRDs have the same label'],
  [/^virtualmachinerestores\S* columns$/, 'a column with the error is more'],
  [/^\S*(instancetypes|preferences)\.instancetype\S* v1 is more$/, 'v1 is served behind a feature gate'],
]

const keywords = (schema: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(schema).filter((key) => !['properties', 'items', 'additionalProperties'].includes(key))

/** Lists are compared without their order, and patterns without escaped slashes. */
function canonical(keyword: string, value: unknown): unknown {
  if (keyword === 'required' || keyword === 'enum') return [...((value ?? []) as unknown[])].map(String).toSorted()
  return typeof value === 'string' ? value.replaceAll('\\/', '/') : value
}

function* compareSchemas(upstream: unknown, ours: unknown, where: string): Generator<Difference> {
  const [one, other] = [isJsonObject(upstream) ? upstream : {}, isJsonObject(ours) ? ours : {}]
  for (const keyword of new Set([...keywords(one), ...keywords(other)]))
    if (!deepEqual(canonical(keyword, one[keyword]), canonical(keyword, other[keyword])))
      yield { where: `${where} ${keyword}`, upstream: one[keyword], ours: other[keyword] }
  const [properties, own] = [(one['properties'] ?? {}) as Record<string, unknown>, (other['properties'] ?? {}) as Record<string, unknown>]
  for (const name of new Set([...Object.keys(properties), ...Object.keys(own)])) {
    const path = `${where}.${name}`
    if (!(name in own)) yield { where: `${path} is missing`, upstream: properties[name], ours: undefined }
    else if (!(name in properties)) yield { where: `${path} is more`, upstream: undefined, ours: own[name] }
    else yield* compareSchemas(properties[name], own[name], path)
  }
  for (const [keyword, suffix] of [
    ['items', '[]'],
    ['additionalProperties', '{}'],
  ] as const)
    if (isJsonObject(one[keyword]) || isJsonObject(other[keyword])) yield* compareSchemas(one[keyword], other[keyword], `${where}${suffix}`)
}

/** Columns, without their descriptions. */
const columnsOf = ({ additionalPrinterColumns = [] }: CustomResourceDefinitionVersion): readonly object[] =>
  additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) => ({ name, type, jsonPath, priority }))

function* compareVersions(
  upstream: CustomResourceDefinitionVersion,
  ours: CustomResourceDefinitionVersion,
  where: string,
): Generator<Difference> {
  for (const keyword of ['served', 'storage', 'deprecated', 'deprecationWarning', 'subresources'] as const)
    if (!deepEqual(upstream[keyword], ours[keyword]))
      yield { where: `${where} ${keyword}`, upstream: upstream[keyword], ours: ours[keyword] }
  if (!deepEqual(columnsOf(upstream), columnsOf(ours)))
    yield { where: `${where} columns`, upstream: columnsOf(upstream), ours: columnsOf(ours) }
  yield* compareSchemas(upstream.schema?.openAPIV3Schema, ours.schema?.openAPIV3Schema, `${where} `)
}

function* compareDefinitions(upstream: CustomResourceDefinition, ours: CustomResourceDefinition): Generator<Difference> {
  const name = upstream.metadata.name ?? ''
  const namesOf = ({ spec: { names } }: CustomResourceDefinition): object => ({
    ...names,
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: [...(names.shortNames ?? [])].toSorted(),
    categories: names.categories ?? [],
  })
  if (!deepEqual(namesOf(upstream), namesOf(ours))) yield { where: `${name} names`, upstream: namesOf(upstream), ours: namesOf(ours) }
  const [labels, own] = [upstream.metadata.labels, ours.metadata.labels]
  if (!deepEqual(labels, own)) yield { where: `${name} labels`, upstream: labels, ours: own }
  assert.equal(upstream.spec.scope, ours.spec.scope, name)
  for (const version of upstream.spec.versions) {
    const found = ours.spec.versions.find((one) => one.name === version.name)
    if (found === undefined) yield { where: `${name}/${version.name} is missing`, upstream: version.name, ours: undefined }
    else yield* compareVersions(version, found, `${name}/${version.name}`)
  }
  for (const version of ours.spec.versions)
    if (!upstream.spec.versions.some((one) => one.name === version.name))
      yield { where: `${name} ${version.name} is more`, upstream: undefined, ours: version.name }
}

test("the CRDs have upstream's kinds, versions, fields, rules and columns", async (t) => {
  const started = await startOracle('crds')
  if ('missing' in started) {
    t.skip(started.missing)
    return
  }
  await using oracle = started.oracle
  const upstream = (await oracle.ask({})) as readonly CustomResourceDefinition[]
  const file = join(import.meta.dirname, '..', '..', 'manifests', 'crds.generated.json')
  const ours = new Map(
    (JSON.parse(await readFile(file, 'utf8')) as readonly CustomResourceDefinition[]).map((one) => [one.metadata.name, one] as const),
  )
  const differences = upstream.flatMap((definition) => {
    const own = ours.get(definition.metadata.name)
    assert.ok(own, definition.metadata.name ?? '')
    return [...compareDefinitions(definition, own)]
  })
  const reasons = Map.groupBy(
    differences,
    (difference) => deliberate.find(([pattern, , applies = () => true]) => pattern.test(difference.where) && applies(difference))?.[1],
  )
  assert.deepEqual(
    (reasons.get(undefined) ?? []).map(({ where }) => where),
    [],
  )
  for (const [pattern, why] of deliberate) assert.ok(reasons.has(why), `no difference any more: ${pattern.source}`)
  t.diagnostic(`${upstream.length} kinds: ${[...reasons].map(([why, { length }]) => `${length} × ${why}`).join('; ')}`)
})

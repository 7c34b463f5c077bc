import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { decodeSchema } from '#apimachinery/structural/definition/decode-schema.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { prune } from '#apimachinery/structural/transform/prune.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { hyperConvergedKey, type RenderedPlatform, type TriedOverride } from '#features/hyperconverged/index.ts'
import type { Finding } from '../finding.ts'
import type { UpgradeInventory } from '../inventory.ts'
import { planSteps } from '../plan.ts'
import { cdiGroup, isForeignDefinition } from '#features/foreign-cdi/index.ts'

const { namespace, name: objectName } = hyperConvergedKey

/**
 * Finds overrides that the new release cannot apply to what it renders, whose result its schemas
 * refuse, or that end while it is installed.
 */
export function overrideFindings(inventory: UpgradeInventory): Finding[] {
  const { platform } = inventory
  if (platform === undefined) return []
  const refusals = refusalsIn(platform, inventory)
  return platform.overrides.flatMap((override) => {
    if (override.problem?.reason === 'Expired' || failsNow(override, inventory)) return []
    const refused = refusals.filter((refusal) => refusal.override === override).map(({ message }) => message)
    return [...applyFinding(override, inventory), ...refusedFinding(override, refused, inventory), ...expiryFinding(override, inventory)]
  })
}

/** An override that is not applied today either is not the upgrade's fault. */
function failsNow({ source }: TriedOverride, { overrides }: UpgradeInventory): boolean {
  if (source.kind !== 'object') return false
  const applied = findCondition(overrides.find(({ metadata }) => metadata.name === source.name)?.status?.conditions, 'Applied')
  return applied?.status === 'False' && ['DoesNotApply', 'Malformed', 'ComponentNotWanted'].includes(applied.reason ?? '')
}

function about({ source }: TriedOverride): Pick<Finding, 'object' | 'command'> {
  return source.kind === 'annotation'
    ? { object: `hco/${objectName}/${source.name}`, command: `kubectl annotate -n ${namespace} hco/${objectName} ${source.name}-` }
    : { object: `componentoverride/${source.name}`, command: `kubectl delete componentoverride/${source.name}` }
}

const why = 'Its component would be as it is shipped: repair the override, or remove it by the command'

function applyFinding(override: TriedOverride, { to }: UpgradeInventory): Finding[] {
  const { name, component, problem } = override
  if (problem === undefined) return []
  if (problem.reason === 'ComponentAbsent') {
    const what = `${name} changes ${component}, of which ${to} renders nothing`
    return [{ ...about(override), id: 'OverrideHasNoTarget', severity: 'warning', what, why: 'It would have no effect' }]
  }
  const what = `${name} does not apply to ${component} as ${to} renders it: ${problem.message}`
  return [{ ...about(override), id: 'OverrideDoesNotApply', severity: 'forceable', what, why }]
}

function refusedFinding(override: TriedOverride, refusals: readonly string[], { to }: UpgradeInventory): Finding[] {
  if (refusals.length === 0) return []
  const what = `${override.name} makes ${override.component} what its schema in ${to} has no place for: ${refusals.join('; ')}`
  const consequence = 'The component would be refused as a whole, or the change dropped: repair the override, or remove it by the command'
  return [{ ...about(override), id: 'OverrideRefused', severity: 'forceable', what, why: consequence }]
}

function expiryFinding(override: TriedOverride, inventory: UpgradeInventory): Finding[] {
  const { source, name, component } = override
  const expiresAt =
    source.kind === 'object' ? inventory.overrides.find(({ metadata }) => metadata.name === source.name)?.spec.expiresAt : undefined
  const seconds = planSteps(inventory).reduce((sum, step) => sum + step.seconds, 0)
  if (expiresAt === undefined || Date.parse(expiresAt) > inventory.nowMs + seconds * 1000) return []
  const what = `${name} of ${component} ends at ${expiresAt}, before the upgrade does`
  return [
    {
      ...about(override),
      id: 'OverrideExpires',
      severity: 'warning',
      what,
      why: 'The component would change once more during the upgrade',
    },
  ]
}

interface Refusal {
  readonly override: TriedOverride
  readonly message: string
}

/**
 * Validates the objects by the schemas of the new release, and by those on the cluster where the
 * CRD is not part of a release, or belongs to CDI, whose CRDs a release does not replace. Only what
 * overrides have changed counts.
 */
function refusalsIn({ components, overrides }: RenderedPlatform, { nextDefinitions, definitions }: UpgradeInventory): readonly Refusal[] {
  const foreign = new Set(
    definitions.filter((one) => one.spec.group === cdiGroup && isForeignDefinition(one)).map(({ metadata }) => metadata.name),
  )
  const replaced = nextDefinitions.filter(({ metadata }) => !foreign.has(metadata.name))
  return components.flatMap(({ name, definition, versions, object }) => {
    const own = overrides.filter(({ component, paths }) => component === name && paths.length > 0)
    const [next, now] = [[...replaced, ...definitions], definitions].map((list) =>
      own.length === 0
        ? undefined
        : schemaOf(
            list.find(({ metadata }) => metadata.name === definition),
            versions,
          ),
    )
    if (next === undefined) return []
    const { unknown, value } = prune(object, next)
    const messages = [
      ...unknown.map((path) => ({ path: keysOf(path), message: `${path}: there is no such field`, isMissing: false })),
      ...validateStructural(value, next).map(({ field, message, reason }) => ({
        path: keysOf(field),
        message: `${field}: ${message}`,
        isMissing: reason === 'FieldValueRequired',
      })),
    ]
    return own.flatMap((override): readonly Refusal[] => {
      const { paths } = override
      // What is missing beside a change may be there on the cluster, from others.
      const isCause = (path: readonly string[], isMissing: boolean): boolean =>
        paths.some((changed) => startsWith(path, changed) || (!isMissing && startsWith(changed, path)))
      const refused = messages.filter(({ path, isMissing }) => isCause(path, isMissing))
      // Schemas may keep unknown fields, on which nothing acts.
      const gone = paths.filter((path) => now !== undefined && isDeclared(now, path) && !isDeclared(next, path))
      const texts = [
        ...refused.map(({ message }) => message),
        ...gone
          .filter((path) => !refused.some((one) => startsWith(path, one.path)))
          .map((path) => `${path.join('.')}: there is no such field any more`),
      ]
      return texts.map((message) => ({ override, message }))
    })
  })
}

function schemaOf(definition: CustomResourceDefinition | undefined, versions: readonly string[]): StructuralSchema | undefined {
  const schema = definition?.spec.versions.find(({ name }) => versions.includes(name))?.schema?.openAPIV3Schema
  return schema === undefined ? undefined : decodeSchema(schema, '').schema
}

/** Reports whether a schema names the field at a path, or a map that holds it. */
function isDeclared(schema: StructuralSchema, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined || schema.properties === undefined) return true
  const property = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
  if (property === undefined) return schema.additionalProperties !== undefined && schema.additionalProperties !== false
  return isDeclared(property, rest)
}

function keysOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((key) => key !== '')
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, index) => path[index] === key)
}

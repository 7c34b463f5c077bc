import { createHash } from 'node:crypto'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import type { JsonPatchOperation, JsonPatchOptions } from '#apimachinery/patch/json-patch.ts'
import { parseSemverRange, SemverRangeError, type SemverRange } from '#apimachinery/version/semver-range.ts'

/** Change of HyperConverged objects that come from certain versions. */
export interface UpgradePatch {
  /**
   * Name in the journal: that of the file, otherwise a hash of the entry. A patch is applied once
   * by its id, so an entry that is to be applied again has another one.
   */
  readonly id: string
  /** Versions that an upgrade comes from. */
  readonly range: SemverRange
  readonly operations: readonly JsonPatchOperation[]
  readonly options: JsonPatchOptions
}

/** Object of older versions that an upgrade removes. */
export interface ObjectRemoval {
  readonly range: SemverRange
  readonly resource: ResourceType<KubeObject>
  readonly name: string
  /** May contain {@link namespaceVariable}. Undefined for cluster-scoped objects. */
  readonly namespace: string | undefined
}

/** Contents of `upgradePatches.json`. */
export interface UpgradePatches {
  readonly patches: readonly UpgradePatch[]
  readonly removals: readonly ObjectRemoval[]
}

/** The file is wrong: every problem with its place in the file. */
export class UpgradePatchesError extends Error {
  override readonly name = 'UpgradePatchesError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}

/** Stands for the namespace of the installation, in the syntax of Kubernetes' own variables. */
export const namespaceVariable = '$(NAMESPACE)'

/**
 * Kinds of objects that can be removed, by group. A request needs the plural and the scope, which
 * the file does not have. The operator may delete exactly the objects that the shipped file lists:
 * a kind that is added here needs its right in `hyperConvergedRules`.
 */
const removableKinds: Readonly<Record<string, Readonly<Record<string, { readonly plural: string; readonly namespaced: boolean }>>>> = {
  '': { ServiceAccount: { plural: 'serviceaccounts', namespaced: true } },
  apps: { DaemonSet: { plural: 'daemonsets', namespaced: true } },
  'k8s.cni.cncf.io': { NetworkAttachmentDefinition: { plural: 'network-attachment-definitions', namespaced: true } },
  'security.openshift.io': { SecurityContextConstraints: { plural: 'securitycontextconstraints', namespaced: false } },
}

/**
 * Parses `upgradePatches.json`, in the format of upstream's operator: keys in upper or lower case,
 * and options that replace all defaults at once. An entry may have an `id`, which upstream ignores.
 * Keys of no meaning are refused, since a misspelled one would drop its entry in silence. Pure.
 *
 * @throws {UpgradePatchesError} with all problems of the file
 */
export function parseUpgradePatches(text: string): UpgradePatches {
  const reader = new Reader()
  const file = reader.object(parsed(text), 'the file', ['hcoCRPatchList', 'objectsToBeRemoved'])
  const patches = reader.list(file.get('hcoCRPatchList'), 'hcoCRPatchList', (entry, at) => patchOf(reader, entry, at))
  const removals = reader.list(file.get('objectsToBeRemoved'), 'objectsToBeRemoved', (entry, at) => removalOf(reader, entry, at))
  const ids = patches.map(({ id }) => id)
  for (const [index, id] of ids.entries())
    if (ids.indexOf(id) !== index) reader.problem(`hcoCRPatchList[${index}]`, `has the id "${id}" of an entry before it`)
  if (reader.problems.length > 0) throw new UpgradePatchesError(reader.problems)
  return { patches, removals }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UpgradePatchesError([`the file is not JSON: ${error instanceof Error ? error.message : String(error)}`])
  }
}

/** Fields of an object by the names of the format. */
type Fields = ReadonlyMap<string, unknown>

/** Reads values of unknown shape. What is wrong is noted, and reading goes on. */
class Reader {
  readonly problems: string[] = []

  problem(at: string, what: string): void {
    this.problems.push(`${at} ${what}`)
  }

  /** Go's decoder ignores the case of keys. Absent and null are the same to it. */
  object(value: unknown, at: string, names: readonly string[]): Fields {
    if (value === undefined || value === null) return new Map()
    if (!isJsonObject(value)) {
      this.problem(at, 'must be an object')
      return new Map()
    }
    const known = new Map(names.map((name) => [name.toLowerCase(), name]))
    const fields = new Map<string, unknown>()
    for (const [key, field] of Object.entries(value)) {
      const name = known.get(key.toLowerCase())
      if (name === undefined) this.problem(at, `has an unknown key "${key}"`)
      else fields.set(name, field)
    }
    return fields
  }

  list<Item>(value: unknown, at: string, read: (item: unknown, at: string) => Item): readonly Item[] {
    if (value === undefined || value === null) return []
    if (Array.isArray(value)) return value.map((item, index) => read(item, `${at}[${index}]`))
    this.problem(at, 'must be a list')
    return []
  }

  text(value: unknown, at: string): string {
    if (value === undefined || value === null) return ''
    if (typeof value === 'string') return value
    this.problem(at, 'must be a string')
    return ''
  }

  required(value: unknown, at: string): string {
    const text = this.text(value, at)
    if (text === '') this.problem(at, 'must not be empty')
    return text
  }

  range(value: unknown, at: string): SemverRange {
    try {
      return parseSemverRange(this.text(value, at))
    } catch (error) {
      if (!(error instanceof SemverRangeError)) throw error
      this.problem(at, error.message)
      return () => false
    }
  }
}

function patchOf(reader: Reader, entry: unknown, at: string): UpgradePatch {
  const fields = reader.object(entry, at, ['id', 'semverRange', 'jsonPatch', 'jsonPatchApplyOptions'])
  const [semverRange, jsonPatch] = [fields.get('semverRange'), fields.get('jsonPatch')]
  const operations = reader.list(jsonPatch, `${at}.jsonPatch`, (operation, where) => operationOf(reader, operation, where))
  const options = optionsOf(reader, fields.get('jsonPatchApplyOptions'), `${at}.jsonPatchApplyOptions`)
  const hash = createHash('sha256')
    .update(JSON.stringify([semverRange, jsonPatch, options]))
    .digest('hex')
    .slice(0, 12)
  const id = reader.text(fields.get('id'), `${at}.id`)
  return { id: id === '' ? hash : id, range: reader.range(semverRange, `${at}.semverRange`), operations, options }
}

/** Upstream's library reads operations as they are: the case of their keys counts. */
function operationOf(reader: Reader, operation: unknown, at: string): JsonPatchOperation {
  if (!isJsonObject(operation)) {
    reader.problem(at, `must be an object, and is ${JSON.stringify(operation)}`)
    return { op: 'test', path: '', value: null }
  }
  const { op, path, from, value } = operation
  const pathProblem = (name: string, text: unknown): void => {
    if (typeof text !== 'string' || !text.startsWith('/spec/'))
      reader.problem(`${at}.${name}`, `must begin with /spec/, and is ${JSON.stringify(text)}`)
  }
  switch (op) {
    case 'add':
    case 'replace':
      if (value === undefined) reader.problem(at, 'must have a value')
      break
    case 'move':
    case 'copy':
      pathProblem('from', from)
      break
    case 'remove':
    case 'test':
      break
    default:
      reader.problem(`${at}.op`, `must be add, remove, replace, move, copy or test, and is ${JSON.stringify(op)}`)
  }
  pathProblem('path', path)
  return operation as unknown as JsonPatchOperation
}

const flags = ['allowMissingPathOnRemove', 'ensurePathExistsOnAdd', 'supportNegativeIndices'] as const

/** Options that are not listed have Go's zero value, and not the default of the library. */
function optionsOf(reader: Reader, value: unknown, at: string): JsonPatchOptions {
  if (value === undefined || value === null) return {}
  const fields = reader.object(value, at, [...flags, 'accumulatedCopySizeLimit'])
  const flag = (name: string): boolean => {
    const set = fields.get(name) ?? false
    if (typeof set !== 'boolean') reader.problem(`${at}.${name}`, 'must be true or false')
    return set === true
  }
  const limit = fields.get('accumulatedCopySizeLimit') ?? 0
  if (!Number.isInteger(limit)) reader.problem(`${at}.accumulatedCopySizeLimit`, 'must be a whole number')
  return {
    allowMissingPathOnRemove: flag('allowMissingPathOnRemove'),
    ensurePathExistsOnAdd: flag('ensurePathExistsOnAdd'),
    supportNegativeIndices: flag('supportNegativeIndices'),
    accumulatedCopySizeLimit: Number(limit),
  }
}

function removalOf(reader: Reader, entry: unknown, at: string): ObjectRemoval {
  const fields = reader.object(entry, at, ['semverRange', 'groupVersionKind', 'objectKey'])
  const type = reader.object(fields.get('groupVersionKind'), `${at}.groupVersionKind`, ['group', 'version', 'kind'])
  const key = reader.object(fields.get('objectKey'), `${at}.objectKey`, ['name', 'namespace'])
  const group = reader.text(type.get('group'), `${at}.groupVersionKind.group`)
  const version = reader.required(type.get('version'), `${at}.groupVersionKind.version`)
  const kind = reader.required(type.get('kind'), `${at}.groupVersionKind.kind`)
  const name = reader.required(key.get('name'), `${at}.objectKey.name`)
  const namespace = reader.text(key.get('namespace'), `${at}.objectKey.namespace`)
  const known = removableKinds[group]?.[kind]
  const { plural = '', namespaced = false } = known ?? {}
  if (known === undefined && kind !== '') {
    const groups = Object.entries(removableKinds).flatMap(([each, kinds]) => Object.keys(kinds).map((one) => `${one}.${each}`))
    reader.problem(`${at}.groupVersionKind`, `is ${kind}.${group}, which the operator must not delete; it may delete ${groups.join(', ')}`)
  }
  if (namespaced && namespace === '') reader.problem(`${at}.objectKey.namespace`, `must not be empty for a ${kind}`)
  if (namespace.replace(namespaceVariable, '').includes('$('))
    reader.problem(`${at}.objectKey.namespace`, `has another variable than ${namespaceVariable}: "${namespace}"`)
  return {
    range: reader.range(fields.get('semverRange'), `${at}.semverRange`),
    resource: { group, version, kind, plural, namespaced },
    name,
    namespace: namespaced ? namespace : undefined,
  }
}

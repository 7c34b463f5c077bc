import { type ScalarTag, stringify } from 'yaml'

/** Levels that are written as blocks: more than any kind of Kubernetes has. */
const blockLevels = 100

/** A value that is written as JSON inside of the document. */
class Flow {
  readonly json: string
  constructor(value: object) {
    this.json = printable(JSON.stringify(value))
  }
}

const flow: ScalarTag = {
  tag: 'tag:yaml.org,2002:map',
  default: true,
  identify: (value) => value instanceof Flow,
  resolve: (text) => text,
  stringify: ({ value }) => (value as Flow).json,
}

/**
 * Serializes a JSON value as YAML. Deeply nested values are written as JSON, which is valid YAML:
 * blocks a thousand levels deep would exhaust the stack and consist mostly of indentation.
 */
export function toYaml(value: unknown): string {
  const shallow = isDeeper(value, blockLevels) ? flattened(value, blockLevels) : value
  // Lines are not folded: folded text is hard to search, and the library folds some texts inside an
  // escape. Readers of YAML 1.1 are common and read a bare yes as true, and a bare date as a date:
  // such texts are quoted.
  return stringify(shallow, { aliasDuplicateObjects: false, lineWidth: 0, customTags: [flow], compat: 'yaml-1.1' })
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}

function flattened(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return new Flow(value)
  if (Array.isArray(value)) return value.map((item) => flattened(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, flattened(item, levels - 1)]))
}

/**
 * JSON with escapes for the characters that it allows and YAML does not, or takes for line breaks.
 */
function printable(json: string): string {
  return json.replaceAll(
    /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

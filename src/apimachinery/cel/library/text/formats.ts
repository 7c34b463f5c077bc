import { validateLabelValue, validateName, validateNamePrefix, validateQualifiedName } from '#apimachinery/meta/name-rules.ts'
import { stringFormats } from '#apimachinery/structural/validation/formats.ts'
import { type Overload, overload } from '#apimachinery/cel/types/signature.ts'
import { type CelOpaque, type CelValue, listValue, none, some } from '#apimachinery/cel/values/values.ts'
import { sizeOf, traversalFactor } from '../costs.ts'
import { parseUrl } from '../network/url.ts'

interface NamedFormat {
  readonly name: string
  /** Returns the validation errors of a text; empty for a valid one. */
  validate(text: string): readonly string[]
  /** Length of the equivalent regular expression, for the cost. */
  readonly regexLength: number
}

function known(name: string, why: string): (text: string) => readonly string[] {
  return (text) => (stringFormats.get(name)?.(text) === true ? [] : [why])
}

const list: readonly [string, (text: string) => readonly string[], number][] = [
  ['dns1123Label', (text) => validateName(text, 'dns-label'), 30],
  ['dns1123Subdomain', (text) => validateName(text, 'dns-subdomain'), 60],
  ['dns1035Label', (text) => validateName(text, 'dns-1035-label'), 30],
  ['qualifiedName', validateQualifiedName, 60],
  ['dns1123LabelPrefix', (text) => validateNamePrefix(text, 'dns-label'), 30],
  ['dns1123SubdomainPrefix', (text) => validateNamePrefix(text, 'dns-subdomain'), 60],
  ['dns1035LabelPrefix', (text) => validateNamePrefix(text, 'dns-1035-label'), 30],
  ['labelValue', validateLabelValue, 40],
  ['uri', (text) => (parseUrl(text) === undefined ? [`parse ${JSON.stringify(text)}: invalid URI for request`] : []), 1104],
  ['uuid', known('uuid', 'does not match the UUID format'), 72],
  ['byte', known('byte', 'invalid base64'), 84],
  ['date', known('date', 'invalid date'), 72],
  ['datetime', known('datetime', 'invalid datetime'), 72],
]

const formatOf = (value: CelValue | undefined): NamedFormat => (value as CelOpaque).value as NamedFormat

function formatValue(format: NamedFormat): CelValue {
  return {
    kind: 'opaque',
    typeName: 'kubernetes.NamedFormat',
    value: format,
    equals: (other) => (other as NamedFormat).name === format.name,
  }
}

const byName: ReadonlyMap<string, CelValue> = new Map(
  list.map(([name, validate, regexLength]) => [name, formatValue({ name, validate, regexLength })]),
)

function validate(format: NamedFormat, text: string): CelValue {
  const faults = format.validate(text)
  return faults.length === 0 ? none : some(listValue(faults))
}

/** A format is matched as a regular expression would be. */
function cost(args: readonly CelValue[]): number {
  return Math.ceil((1 + sizeOf(args, 1)) * traversalFactor) * Math.ceil(formatOf(args[0]).regexLength * 0.25)
}

/** Named formats of texts. */
export const formats: readonly Overload[] = [
  overload('format-named', 'format.named(string): optional(Format)', ([name]) => {
    const format = byName.get(name as string)
    return format === undefined ? none : some(format)
  }),
  ...Array.from(byName, ([name, format]) => overload(`format.${name}`, `format.${name}(): Format`, () => format)),
  overload(
    'format-validate',
    'Format.validate(string): optional(list(string))',
    ([format, text]) => validate(formatOf(format), text as string),
    { cost },
  ),
]

import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

/** Pattern of a Kubernetes quantity. */
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

const integerOrText: StructuralSchema[] = [{ type: 'integer' }, { type: 'string' }]

const scalars: Readonly<Record<string, StructuralSchema>> = {
  Int32: { type: 'integer', format: 'int32' },
  Int64: { type: 'integer', format: 'int64' },
  // Go refuses to decode a negative number here, and so do we, with a better message.
  UInt32: { type: 'integer', format: 'int32', minimum: 0 },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  // As CDI's own schema has it.
  Percent: { type: 'string', pattern: '^(0(?:\\.\\d{1,3})?|1)$' },
  Bytes: { type: 'string', format: 'byte' },
  IntOrString: { anyOf: integerOrText, 'x-kubernetes-int-or-string': true },
  AnyJson: { 'x-kubernetes-preserve-unknown-fields': true },
  RawObject: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
}

const customQuantity: StructuralSchema = { anyOf: integerOrText, pattern: quantityPattern, 'x-kubernetes-int-or-string': true }

// Built-in kinds take `cpu: 0.5`, which no structural schema can say of an int-or-string.
const builtInQuantity: StructuralSchema = {
  anyOf: [{ type: 'number' }, { type: 'string' }],
  pattern: quantityPattern,
  'x-kubernetes-preserve-unknown-fields': true,
}

/** The schema of a type of `src/api/scalars.ts`; undefined for any other name. */
export function scalarSchema(name: string, custom: boolean): StructuralSchema | undefined {
  if (name === 'Quantity') return custom ? customQuantity : builtInQuantity
  return scalars[name]
}

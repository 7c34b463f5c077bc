/** A network definition asks for something that this program does not do, or is malformed. */
export class UnsupportedNetwork extends Error {
  override readonly name = 'UnsupportedNetwork'
}

/** Returns the fields of a JSON object. @throws UnsupportedNetwork for any other value */
export function fieldsOf(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  throw new UnsupportedNetwork(`${where} must be an object`)
}

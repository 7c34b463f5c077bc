/**
 * Sets an own property of any name. Plain assignment to `__proto__` would replace the object's
 * prototype instead, and wire data may use that name for a label or a map key.
 */
export function setOwnInto(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  else target[key] = value
}

/** Reads an own property; inherited ones (`constructor`, `toString`) do not exist for wire data. */
export function getOwn(source: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined
}

/** Reports whether a value is a JSON object: neither null nor a list nor a scalar. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { badRequest } from '#apimachinery/errors.ts'

/**
 * Parses a resource version from a client; empty is 0. @throws StatusError 400 when it is not a
 * number
 */
export function parseResourceVersion(text: string): number {
  if (text === '') return 0
  if (!/^\d{1,16}$/.test(text)) throw badRequest(`Invalid value: "${text}": resourceVersion must be a decimal number`)
  return Number(text)
}

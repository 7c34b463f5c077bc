import { CelError } from '../errors.ts'

/** A text as UTF-8; single surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  const encoded = encodeURIComponent(text.toWellFormed())
  const bytes: number[] = []
  for (let index = 0; index < encoded.length; index += 1) {
    if (encoded[index] === '%') {
      bytes.push(Number.parseInt(encoded.slice(index + 1, index + 3), 16))
      index += 2
    } else bytes.push(encoded.charCodeAt(index))
  }
  return Uint8Array.from(bytes)
}

/** @throws CelError when the bytes are no UTF-8 */
export function decodeUtf8(bytes: Uint8Array): string {
  const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  try {
    return decodeURIComponent(escaped)
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

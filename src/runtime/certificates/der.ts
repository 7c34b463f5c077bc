/** Object identifiers in certificates, in dotted form. */
export const oid = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const

/** One element of DER: a tag, the length, the content. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const digits = [...bytesOf(length)]
  return Buffer.from([0x80 | digits.length, ...digits])
}

function bytesOf(value: number): readonly number[] {
  return value < 0x100 ? [value] : [...bytesOf(Math.floor(value / 0x100)), value % 0x100]
}

/** An ordered sequence of elements. */
export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts)
/** Elements in no order. */
export const set = (...parts: readonly Uint8Array[]): Buffer => element(0x31, ...parts)
/** Bytes. */
export const octets = (content: Uint8Array): Buffer => element(0x04, content)
/** A text, in UTF-8. */
export const text = (value: string): Buffer => element(0x0c, Buffer.from(value))
/** The truth value that is true. */
export const yes: Buffer = element(0x01, Buffer.from([0xff]))

/** A number that is not negative, as its bytes. */
export function unsigned(bytes: Uint8Array): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0
  return element(0x02, isNegative ? Buffer.from([0]) : Buffer.alloc(0), bytes)
}

/** Bits, of which the last `unused` do not count. */
export const bits = (content: Uint8Array, unused: number = 0): Buffer => element(0x03, Buffer.from([unused]), content)

/** A context-specific element `[n]`. Elements that contain others are constructed. */
export const tagged = (n: number, content: Uint8Array, isConstructed: boolean): Buffer =>
  element((isConstructed ? 0xa0 : 0x80) | n, content)

/** An object identifier in dotted form. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Seven bits a byte, and a mark on all but the last. */
function base128(value: number): readonly number[] {
  const digits = [value % 0x80]
  for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) digits.unshift((rest % 0x80) | 0x80)
  return digits
}

/** A time in seconds. X.509 requires four-digit years from 2050 on, and two digits before. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits))
}

/** Returns the complete child elements of an element. @throws RangeError for truncated content */
export function childrenOf(der: Buffer): readonly Buffer[] {
  const children: Buffer[] = []
  const { start, end } = contentOf(der, 0)
  for (let at = start; at < end; at = contentOf(der, at).end) children.push(der.subarray(at, contentOf(der, at).end))
  return children
}

/** Returns the content of an element, without its tag and length. */
export function contentBytes(der: Buffer): Buffer {
  const { start, end } = contentOf(der, 0)
  return der.subarray(start, end)
}

function contentOf(der: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = der.readUInt8(at + 1)
  const digits = first < 0x80 ? 0 : first & 0x7f
  const length = digits === 0 ? first : der.readUIntBE(at + 2, digits)
  const start = at + 2 + digits
  if (start + length > der.length) throw new RangeError('The certificate is cut off')
  return { start, end: start + length }
}

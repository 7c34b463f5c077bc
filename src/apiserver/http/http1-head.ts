// Not imported: see docs/decisions/0008-node-http-by-getbuiltinmodule.md
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** First line of an answer. */
export function statusLine(code: number): string {
  return `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? 'Unknown'}`
}

/**
 * First line and headers of an HTTP/1.1 message. Values carry bytes, as Node hands them over; line
 * ends in them would be somebody else's headers.
 */
export function headBytes(firstLine: string, headers: Iterable<readonly [name: string, value: string]>): Buffer {
  let text = `${firstLine}\r\n`
  for (const [name, value] of headers) text += `${name}: ${value.replaceAll(/[\r\n\0]/g, ' ')}\r\n`
  return Buffer.from(`${text}\r\n`, 'latin1')
}

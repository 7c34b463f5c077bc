// Not imported: see docs/decisions/0008-node-http-by-getbuiltinmodule.md
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** Returns the status line. */
export function statusLine(code: number): string {
  return `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? 'Unknown'}`
}

/**
 * Encodes first line and headers of an HTTP/1.1 message. Values are bytes as Node passes them; line
 * ends are removed, as they would inject headers.
 */
export function headBytes(firstLine: string, headers: Iterable<readonly [name: string, value: string]>): Buffer {
  let text = `${firstLine}\r\n`
  for (const [name, value] of headers) text += `${name}: ${value.replaceAll(/[\r\n\0]/g, ' ')}\r\n`
  return Buffer.from(`${text}\r\n`, 'latin1')
}

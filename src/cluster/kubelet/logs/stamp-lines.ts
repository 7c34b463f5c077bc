import { Buffer } from 'node:buffer'

/**
 * Prefixes each line with its time. `timeOf` returns the time of output before an offset; `start`
 * is the offset of the first chunk.
 */
export async function* stampLines(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  timeOf: (offset: number) => number,
): AsyncGenerator<Uint8Array> {
  let offset = start
  let atLineStart = true
  for await (const chunk of chunks) {
    const parts: Uint8Array[] = []
    let from = 0
    while (from < chunk.length) {
      const feed = chunk.indexOf(0x0a, from)
      const end = feed < 0 ? chunk.length : feed + 1
      if (atLineStart) parts.push(Buffer.from(`${stamp(timeOf(offset + end))} `))
      parts.push(chunk.subarray(from, end))
      atLineStart = feed >= 0
      from = end
    }
    offset += chunk.length
    yield Buffer.concat(parts)
  }
}

/** RFC 3339 with nanoseconds, as kubelets print it: always 30 characters. */
function stamp(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('Z', '000000Z')
}

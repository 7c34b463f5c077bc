import { StatusError } from '#apimachinery/errors.ts'
import { TransportError } from './client.ts'
import type { WatchEvent } from './client.ts'
import { isStatus } from './failure.ts'

/** Splits UTF-8 chunks into lines. @throws TransportError when the stream ends inside a line. */
export async function* decodeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8')
  let rest = ''
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n')
    if (end < 0) {
      rest += text
      continue
    }
    const complete = rest + text.slice(0, end)
    rest = text.slice(end + 1)
    for (const line of complete.split('\n')) if (line !== '') yield line
  }
  if ((rest + decoder.decode()).trim() !== '') throw new TransportError('The watch ended in the middle of an event')
}

/**
 * Decodes one event of a watch stream. @throws StatusError for ERROR events, TransportError for an
 * invalid event.
 */
export function decodeWatchEvent<T>(line: string): WatchEvent<T> {
  const event = parseEvent(line)
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type: event.type, object: event.object as T }
    case 'ERROR':
      if (isStatus(event.object)) throw new StatusError(event.object)
      throw new TransportError('The watch reported an error without a Status')
    default:
      throw new TransportError(`The watch sent an event of unknown type "${String(event.type)}"`)
  }
}

function parseEvent(line: string): { type?: unknown; object?: unknown } {
  try {
    return JSON.parse(line) as { type?: unknown; object?: unknown }
  } catch (cause) {
    throw new TransportError('The watch sent a line that is not JSON', { cause })
  }
}

import type { IncomingMessage } from 'node:http'

/** Path segments and query of a request. */
export interface RequestAddress {
  /** Segments of the path, decoded. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

/** Parses the URL of a request; undefined when it is invalid. */
export function addressOf({ url = '/' }: Pick<IncomingMessage, 'url'>): RequestAddress | undefined {
  try {
    const { pathname, searchParams } = new URL(url, 'http://kubelet')
    return { path: pathname.slice(1).split('/').map(decodeURIComponent), query: searchParams }
  } catch {
    return undefined
  }
}

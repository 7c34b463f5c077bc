import type { IncomingMessage } from 'node:http'

/** What a request is for. */
export interface RequestAddress {
  /** Segments of the path, decoded. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

/** Understands a request's URL; undefined for what is none. */
export function addressOf({ url = '/' }: Pick<IncomingMessage, 'url'>): RequestAddress | undefined {
  try {
    const { pathname, searchParams } = new URL(url, 'http://kubelet')
    return { path: pathname.slice(1).split('/').map(decodeURIComponent), query: searchParams }
  } catch {
    return undefined
  }
}

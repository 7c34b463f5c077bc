/** One HTTP request, whatever carries it. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Absolute path with query. */
  readonly path: string
  /** Names in lower case. The transport adds credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * True when the answer may be endless, like a watch: then only silence of the peer ends it, never
   * its age.
   */
  readonly streaming: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * The response to a {@link TransportRequest}, available with its head. Read the body once, by
 * either method.
 */
export interface TransportResponse {
  readonly status: number
  /** Names in lower case; repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Leaving the loop cancels the request. Throws TransportError when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>
  /** The whole body as UTF-8. */
  text(): Promise<string>
}

/**
 * Carries bytes to one API server and back. Rejects with TransportError when the server is
 * unreachable or silent, and with the signal's reason when the caller aborts. Always settles.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>
}

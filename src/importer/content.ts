/** Identity of a file on a server, such as `"etag"`: the same one has the same bytes. */
export interface Position {
  readonly offset: number
  readonly validator: string
}

/** Bytes of a source, from `start` on. */
export interface Content {
  /** Where the chunks begin: the position that was asked for, or zero. */
  readonly start: number
  /** Bytes of the whole file; undefined while unknown. */
  readonly total: number | undefined
  /** Undefined: what was read cannot be continued later. */
  readonly validator: string | undefined
  /** Each belongs to its reader, which frees it. */
  readonly chunks: AsyncIterable<Buffer>
  /**
   * Called when all chunks were read, and before they are used. @throws ImportFailure when they are
   * not what they must be
   */
  verify(): Promise<void>
}

/** Something that content is read from. */
export interface ContentSource {
  /** Opens the content, if possible at a position of an earlier one. @throws ImportFailure */
  open(from: Position | undefined, signal: AbortSignal): Promise<Content>
  /** Labels that the source asks for; known when the content is open. */
  labels?(): Readonly<Record<string, string>>
}

/** Nothing to verify. */
export const unverified = (): Promise<void> => Promise.resolve()

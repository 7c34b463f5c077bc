/** Content with its first bytes known. */
export interface WithHead {
  readonly head: Buffer
  /** All bytes, those of the head included. Can be read once. */
  readonly chunks: AsyncIterable<Buffer>
  /** Gives the content up. */
  close(): Promise<void>
}

/** Reads the first bytes of content, up to `bytes`, and gives them back with all others. */
export async function withHead(chunks: AsyncIterable<Buffer>, bytes: number): Promise<WithHead> {
  const iterator = chunks[Symbol.asyncIterator]()
  const read: Buffer[] = []
  let length = 0
  let isDone = false
  while (length < bytes) {
    const next = await iterator.next()
    if (next.done === true) {
      isDone = true
      break
    }
    read.push(next.value)
    length += next.value.length
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield* read
      if (isDone) return
      for (;;) {
        const next = await iterator.next()
        if (next.done === true) return
        yield next.value
      }
    } finally {
      await close()
    }
  }
  async function close(): Promise<void> {
    isDone = true
    await iterator.return?.()
  }
  return { head: Buffer.concat(read).subarray(0, bytes), chunks: all(), close }
}

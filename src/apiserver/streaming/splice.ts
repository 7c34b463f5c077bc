import type { Duplex } from 'node:stream'

/**
 * Connects two streams in both directions with independent ends. Resolves when both are closed;
 * never rejects.
 */
export async function splice(a: Duplex, b: Duplex): Promise<void> {
  const destroyBoth = (): void => {
    a.destroy()
    b.destroy()
  }
  const closed = [a, b].map((one) => {
    one.on('error', destroyBoth)
    // A clean end forwards buffered data; an abrupt one destroys both.
    const onClose = (): void => {
      if (!one.readableEnded || !one.writableFinished) destroyBoth()
    }
    return new Promise<void>((resolve) => {
      const finish = (): void => {
        onClose()
        resolve()
      }
      if (one.closed) finish()
      else one.once('close', finish)
    })
  })
  a.pipe(b)
  b.pipe(a)
  await Promise.all(closed)
}

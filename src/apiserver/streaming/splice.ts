import type { Duplex } from 'node:stream'

/**
 * Joins two connections: what comes from one goes to the other, each end by itself. Resolves when
 * both are closed; never rejects.
 */
export async function splice(a: Duplex, b: Duplex): Promise<void> {
  const destroyBoth = (): void => {
    a.destroy()
    b.destroy()
  }
  const closed = [a, b].map((one) => {
    one.on('error', destroyBoth)
    // A clean end passes on what still is on its way; an abrupt one ends both.
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

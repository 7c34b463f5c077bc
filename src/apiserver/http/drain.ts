import type { Readable } from 'node:stream'

/**
 * What is read of a body that nobody wants any more: enough for the mistakes of honest clients, too
 * little to be a way to keep us busy.
 */
const limitBytes = 16 * 1024 * 1024
const limitMs = 2_000

/**
 * Throws away what is left of a request's body, then calls back, once. A connection that is closed
 * while its client still sends is reset, and the answer in it is lost: so an early answer has to
 * wait for the rest, within limits.
 */
export function drain(source: Readable, done: () => void): void {
  let left = limitBytes
  const finish = (): void => {
    clearTimeout(timer)
    source.off('data', onData)
    for (const event of ['end', 'error', 'close']) source.off(event, finish)
    source.pause()
    done()
  }
  const onData = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) finish()
  }
  const timer = setTimeout(finish, limitMs)
  for (const event of ['end', 'error', 'close']) source.on(event, finish)
  source.on('data', onData)
  source.resume()
}

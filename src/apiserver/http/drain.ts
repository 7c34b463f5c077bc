import type { Readable } from 'node:stream'

/**
 * Largest unread body that is discarded: enough for an honest mistake, too little to keep the
 * server busy.
 */
const limitBytes = 16 * 1024 * 1024
const limitMs = 2_000

/**
 * Discards the rest of a request's body, then calls back once. Closing a connection while its
 * client still sends resets it and loses the answer, so an early answer waits for the body, within
 * limits.
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

import { statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'

/** Time limit of a lock, and the description of its holder for other processes. */
export interface LockRequest {
  /** Command of the holder, such as `steadyvm up`: part of the error of processes that time out. */
  readonly purpose: string
  readonly timeoutMs: number
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** Another process holds the lock for longer than the caller waits. */
export class LockTimedOut extends Error {
  override readonly name = 'LockTimedOut'
}

/** Milliseconds between two attempts to get a lock. */
const RETRY_MS = 20
/** Milliseconds that the holder gets to say what it does. */
const ASK_TIMEOUT_MS = 500

/**
 * Locks a home for a change of its processes or its data. The lock belongs to the directory and not
 * to its path, so that a symbolic link leads to the same one. @throws LockTimedOut
 */
export function lockHome(root: string, request: LockRequest): Promise<Disposable> {
  const { dev, ino } = statSync(root)
  return acquireLock(`steadyvm-home-${dev}-${ino}`, `the home "${root}"`, request)
}

/**
 * Locks the choice of ports on this machine: between the look at free ports and the record of the
 * choice no other home chooses. @throws LockTimedOut
 */
export function lockPorts(request: LockRequest): Promise<Disposable> {
  return acquireLock('steadyvm-ports', 'the choice of ports', request)
}

/**
 * The lock is an abstract Unix socket: the kernel releases it when the holder ends, also by
 * `kill -9`, and no file is left behind. Where there are no abstract sockets there is no lock.
 */
async function acquireLock(name: string, subject: string, request: LockRequest): Promise<Disposable> {
  const address = `\0${name}`
  const deadline = request.now() + request.timeoutMs
  for (;;) {
    const lock = await tryLock(address, request.purpose)
    if (lock !== undefined) return lock
    if (request.now() >= deadline) {
      const seconds = Math.round(request.timeoutMs / 1000)
      throw new LockTimedOut(
        `Timed out after ${seconds} s: ${await askHolder(address)} holds the lock of ${subject}; wait for it or end it`,
      )
    }
    await request.sleep(RETRY_MS)
  }
}

/** Undefined when another process holds the lock. */
function tryLock(address: string, purpose: string): Promise<Disposable | undefined> {
  return new Promise((resolve) => {
    const holder = createServer((client) => {
      client.on('error', () => {})
      client.end(`"${purpose}" (process ${process.pid})`)
    }).unref()
    holder.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EADDRINUSE' ? undefined : { [Symbol.dispose]: () => {} }))
    holder.listen(address, () => resolve({ [Symbol.dispose]: () => void holder.close() }))
  })
}

function askHolder(address: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const client: Socket = connect(address)
    const settle = (): void => {
      client.destroy()
      resolve(text === '' ? 'another process' : text)
    }
    client.setEncoding('utf8').setTimeout(ASK_TIMEOUT_MS, settle)
    client.on('data', (chunk: string) => (text += chunk))
    client.on('end', settle)
    client.on('error', settle)
  })
}

import { connect, type Socket } from 'node:net'

/** The console cannot be used. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
}

/** What a command printed in the guest, and how it ended. */
export interface GuestCommandResult {
  readonly output: string
  readonly exitCode: number
}

/** Connects to a guest's serial console. QEMU serves one client at a time: a second one waits in silence. @throws ConsoleError */
export function openConsole(socketPath: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    socket.once('error', (cause) =>
      reject(new ConsoleError(`Cannot open the serial console at "${socketPath}": ${cause.message}`, { cause })),
    )
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

/**
 * Runs a command in the shell that the guest offers on its serial console. The markers are computed by the guest's shell, so that the
 * echo of what was typed is not taken for its output. @throws ConsoleError when the guest does not answer in time
 */
export async function runInGuest(socketPath: string, command: string, id: string, timeoutMs: number): Promise<GuestCommandResult> {
  const socket = await openConsole(socketPath)
  const typed = `\nprintf '\\n<%s-${id}>\\n' "$((40+2))"; { ${command}\n}; printf '\\n<%s-${id}-%s>\\n' "$((40+2))" "$?"\n`
  const finished = new RegExp(`<42-${id}>\\r?\\n([^]*?)\\r?\\n<42-${id}-(\\d+)>`)
  return new Promise((resolve, reject) => {
    let seen = ''
    const settle = (act: () => void): void => {
      clearTimeout(timer)
      clearInterval(again)
      socket.destroy()
      act()
    }
    const timer = setTimeout(() => {
      const said = seen.trim().split('\n').slice(-3).join('\n')
      settle(() => reject(new ConsoleError(`Timed out waiting for the guest to run "${command}" on its console; it said: ${said}`)))
    }, timeoutMs)
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      seen += chunk
      const match = finished.exec(seen)
      if (match !== null) settle(() => resolve({ output: (match[1] ?? '').replaceAll('\r', ''), exitCode: Number(match[2]) }))
    })
    socket.on('close', () => settle(() => reject(new ConsoleError('Cannot run the command: the guest ended'))))
    socket.write(typed)
    // What is typed before the shell reads is lost, so it is typed again while nothing has come back.
    const again = setInterval(() => {
      if (!seen.includes(`<42-${id}>`)) socket.write(typed)
    }, 1_500)
  })
}

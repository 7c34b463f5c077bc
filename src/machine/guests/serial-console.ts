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

/**
 * Connects to a guest's serial console. QEMU serves one client at a time: a second one waits in
 * silence. @throws ConsoleError
 */
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
 * A shell's prompt, and whatever it asks of the terminal after it: busybox asks where the cursor
 * is, often in the same breath.
 */
// oxlint-disable-next-line no-control-regex -- control sequences are what this is about
const promptAtEnd = /[#$] (?:\u001B\[[\d;?]*[A-Za-z])*$/

/** How often a shell that has not shown its prompt is asked for it. */
const promptPatienceMs = 2_000
/**
 * After how long a shell that has not begun to answer has not heard. Long: whoever asks again too
 * soon has the command run twice.
 */
const answerPatienceMs = 10_000

/**
 * Runs a command in the shell that the guest offers on its serial console. The markers are computed
 * by the guest's shell, so that the echo of what was typed is not taken for its output. @throws
 * ConsoleError when the guest does not answer in time
 */
export async function runInGuest(socketPath: string, command: string, id: string, timeoutMs: number): Promise<GuestCommandResult> {
  const socket = await openConsole(socketPath)
  const line = commandLine(command, id)
  const finished = new RegExp(`<42-${id}>\\r?\\n([^]*?)\\r?\\n<42-${id}-(\\d+)>`)
  return new Promise((resolve, reject) => {
    let seen = ''
    /**
     * Where in `seen` the answer to what was typed last begins; undefined while the prompt is
     * awaited.
     */
    let typedAt: number | undefined
    let askedMs = 0
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
    const askForPrompt = (): void => {
      typedAt = undefined
      askedMs = performance.now()
      socket.write('\n')
    }
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      seen += chunk
      const match = finished.exec(seen)
      if (match !== null) return settle(() => resolve({ output: (match[1] ?? '').replaceAll('\r', ''), exitCode: Number(match[2]) }))
      // The shell loses what comes while it changes the terminal's mode, which it does around its
      // prompt: only after that is it safe to type.
      if (typedAt !== undefined || !promptAtEnd.test(seen)) return
      typedAt = seen.length
      socket.write(line)
    })
    socket.on('close', () => settle(() => reject(new ConsoleError('Cannot run the command: the guest ended'))))
    askForPrompt()
    const again = setInterval(() => {
      const isRunning = typedAt !== undefined && seen.slice(typedAt).includes(`<42-${id}>`)
      const patienceMs = typedAt === undefined ? promptPatienceMs : answerPatienceMs
      if (!isRunning && performance.now() - askedMs >= patienceMs) askForPrompt()
    }, promptPatienceMs / 4)
  })
}

/** One line: between the lines of several, the shell would lose some of what is typed. */
function commandLine(command: string, id: string): string {
  const evaluated = command.includes('\n')
    ? `"$(echo ${Buffer.from(command).toString('base64')} | base64 -d)"`
    : `'${command.replaceAll("'", `'\\''`)}'`
  const marker = `'\\n<%s-${id}>\\n' "$((40+2))"`
  return `printf ${marker}; eval ${evaluated}; printf '\\n<%s-${id}-%s>\\n' "$((40+2))" "$?"\n`
}

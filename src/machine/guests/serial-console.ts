import { connect, type Socket } from 'node:net'

/** The console cannot be used. */
export class ConsoleError extends Error {
  override readonly name: string = 'ConsoleError'
}

/** The guest's QEMU ended, as when the guest stops, restarts or has migrated. */
export class ConsoleClosed extends ConsoleError {
  /** Whether the command may have run. */
  readonly hasTyped: boolean
  constructor(hasTyped: boolean) {
    super(
      `The console was closed while ${hasTyped ? 'the command ran' : 'the guest was asked for a prompt'}: the guest stopped, restarted or migrated`,
    )
    this.hasTyped = hasTyped
  }
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
 * A shell's prompt, and what busybox asks of the terminal after it, often in the same chunk: where
 * the cursor is.
 */
// oxlint-disable-next-line no-control-regex -- matches terminal control sequences
const promptAtEnd = /[#$] (?:\u001B\[[\d;?]*[A-Za-z])*$/
/** The prompt of a shell that waits for the rest of a command, of which characters were lost. */
const continuationAtEnd = /(?:^|\n)> $/

/** Milliseconds after which a shell that shows no prompt is asked for it again. */
const PROMPT_PATIENCE_MS = 2_000
/**
 * Milliseconds after which a shell that has not begun to answer is taken to have lost the command.
 * Long, since a command that is typed again too soon runs twice.
 */
const ANSWER_PATIENCE_MS = 10_000
/** Milliseconds that an interrupted command gets to end. */
const INTERRUPT_PATIENCE_MS = 1_000
/** Ctrl-C. */
const INTERRUPT = '\u0003'

/** A command to run in a guest. */
export interface GuestCommand {
  readonly command: string
  /** Differs for every run: it marks the output. */
  readonly id: string
  readonly timeoutMs: number
}

/**
 * Runs a command in the shell that the guest offers on its serial console. The markers are computed
 * by the guest's shell, so that the echo of what was typed is not taken for its output. A command
 * that does not end in time is interrupted, since it would hold the shell against the next one.
 * @throws ConsoleClosed, ConsoleError when the guest does not answer in time
 */
export async function runInGuest(socketPath: string, { command, id, timeoutMs }: GuestCommand): Promise<GuestCommandResult> {
  const socket = await openConsole(socketPath)
  const line = commandLine(command, id)
  const finished = new RegExp(`<42-${id}>\\r?\\n([^]*?)\\r?\\n<42-${id}-(\\d+)>`)
  return new Promise((resolve, reject) => {
    let seen = ''
    /** Length of `seen` when the command was typed; undefined while the prompt is awaited. */
    let typedAt: number | undefined
    let hasTyped = false
    let askedMs = 0
    let timedOut: ConsoleError | undefined
    const settle = (act: () => void): void => {
      clearTimeout(timer)
      clearInterval(again)
      socket.destroy()
      act()
    }
    const isRunning = (): boolean => typedAt !== undefined && seen.slice(typedAt).includes(`<42-${id}>`)
    const onTimeout = (): void => {
      const error = timeoutError(command, { seen, hasTyped, isRunning: isRunning(), timeoutMs })
      if (!hasTyped) return settle(() => reject(error))
      timedOut = error
      socket.write(INTERRUPT)
      timer = setTimeout(() => settle(() => reject(error)), INTERRUPT_PATIENCE_MS)
    }
    let timer = setTimeout(onTimeout, timeoutMs)
    const askForPrompt = (): void => {
      // What was typed and lost in part is taken back first; the shell would join it with the rest.
      const isStuck = typedAt !== undefined || continuationAtEnd.test(seen.replaceAll('\r', ''))
      typedAt = undefined
      askedMs = performance.now()
      socket.write(isStuck ? `${INTERRUPT}\n` : '\n')
    }
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      seen += chunk
      const match = finished.exec(seen)
      if (match !== null) return settle(() => resolve({ output: (match[1] ?? '').replaceAll('\r', ''), exitCode: Number(match[2]) }))
      if (!promptAtEnd.test(seen)) return
      const failure = timedOut
      if (failure !== undefined) return settle(() => reject(failure))
      // The shell loses what comes while it changes the terminal's mode, which it does around its
      // prompt: only after that is it safe to type.
      if (typedAt !== undefined) return
      typedAt = seen.length
      hasTyped = true
      socket.write(line)
    })
    socket.on('close', () => settle(() => reject(timedOut ?? new ConsoleClosed(hasTyped))))
    askForPrompt()
    const again = setInterval(() => {
      const patienceMs = typedAt === undefined ? PROMPT_PATIENCE_MS : ANSWER_PATIENCE_MS
      if (timedOut === undefined && !isRunning() && performance.now() - askedMs >= patienceMs) askForPrompt()
    }, PROMPT_PATIENCE_MS / 4)
  })
}

interface Progress {
  readonly seen: string
  readonly hasTyped: boolean
  readonly isRunning: boolean
  readonly timeoutMs: number
}

function timeoutError(command: string, { seen, hasTyped, isRunning, timeoutMs }: Progress): ConsoleError {
  const start = `Timed out after ${Math.round(timeoutMs / 1000)} s waiting for the guest to run "${command}"`
  const last = seen.trim().split('\n').slice(-3).join('\n')
  if (isRunning) return new ConsoleError(`${start}: it still ran, and was interrupted; use a longer --timeout. It printed: ${last}`)
  if (hasTyped) return new ConsoleError(`${start}: its shell did not begin to run it. The console shows: ${last}`)
  if (last !== '') return new ConsoleError(`${start}: the console shows no shell prompt. It shows: ${last}`)
  return new ConsoleError(`${start}: the console is silent. The guest may still boot, or another client may be connected to its console`)
}

/** One line: between the lines of several, the shell would lose some of what is typed. */
function commandLine(command: string, id: string): string {
  const evaluated = command.includes('\n')
    ? `"$(echo ${Buffer.from(command).toString('base64')} | base64 -d)"`
    : `'${command.replaceAll("'", `'\\''`)}'`
  const marker = `'\\n<%s-${id}>\\n' "$((40+2))"`
  return `printf ${marker}; eval ${evaluated}; printf '\\n<%s-${id}-%s>\\n' "$((40+2))" "$?"\n`
}

import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The serial console is not usable. */
export class ConsoleError extends Error {
  override readonly name: string = 'ConsoleError'
}

/** QEMU closed the console: the guest stopped, restarted or migrated. */
export class ConsoleClosed extends ConsoleError {
  /** Reports whether the command may have run. */
  readonly hasTyped: boolean
  constructor(hasTyped: boolean) {
    super(
      `The console was closed while ${hasTyped ? 'the command ran' : 'the guest was asked for a prompt'}: the guest stopped, restarted or migrated`,
    )
    this.hasTyped = hasTyped
  }
}

/** The socket of the console does not accept connections: QEMU is about to start or to end. */
export class ConsoleUnreachable extends ConsoleError {
  override readonly name = 'ConsoleUnreachable'
}

/** A serial console: the path of its socket, or a function that opens it. */
export type ConsoleSource = string | (() => Promise<Duplex>)

/** Output and exit code of a command. */
export interface GuestCommandResult {
  readonly output: string
  readonly exitCode: number
}

/**
 * Connects to a guest's serial console. QEMU serves one client at a time: a second one gets no
 * output until the first disconnects. @throws ConsoleUnreachable
 */
export function openConsole(socketPath: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    socket.once('error', (cause) =>
      reject(new ConsoleUnreachable(`Cannot open the serial console at "${socketPath}": ${cause.message}`, { cause })),
    )
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

/** Matches a shell prompt at the end, with the cursor position request that busybox appends. */
// oxlint-disable-next-line no-control-regex -- matches terminal control sequences
const promptAtEnd = /[#$] (?:\u001B\[[\d;?]*[A-Za-z])*$/
/** Matches the continuation prompt of a shell that received part of a command, with the same. */
// oxlint-disable-next-line no-control-regex -- matches terminal control sequences
const continuationAtEnd = /(?:^|\n)> (?:\u001B\[[\d;?]*[A-Za-z])*$/

/** Milliseconds without a prompt before the shell is asked for it again. */
const PROMPT_PATIENCE_MS = 2_000
/**
 * Milliseconds without output before a command is taken as lost. Long, since typing it again too
 * soon would run it twice.
 */
const ANSWER_PATIENCE_MS = 10_000
/** Milliseconds for an interrupted command to exit. */
const INTERRUPT_PATIENCE_MS = 1_000
/** Ctrl-C. */
const INTERRUPT = '\u0003'

/** A command to run in a guest. */
export interface GuestCommand {
  readonly command: string
  /** Unique per run: it marks the output. */
  readonly id: string
  readonly timeoutMs: number
}

/**
 * Runs a command in the shell on a guest's serial console. The guest's shell computes the markers
 * around the output, so that the echo of the command line does not match them. Interrupts the
 * command at the time-out, since it would block the next one. @throws ConsoleClosed, ConsoleError
 * at the time-out
 */
export async function runInGuest(console: ConsoleSource, { command, id, timeoutMs }: GuestCommand): Promise<GuestCommandResult> {
  const socket = typeof console === 'string' ? await openConsole(console) : await console()
  const line = commandLine(command, id)
  const finished = new RegExp(`<42-${id}>\\r?\\n([^]*?)\\r?\\n<42-${id}-(\\d+)>`)
  return new Promise((resolve, reject) => {
    let printed = ''
    /** Length of `seen` when the command was typed; undefined while waiting for the prompt. */
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
    const isRunning = (): boolean => typedAt !== undefined && printed.slice(typedAt).includes(`<42-${id}>`)
    const onTimeout = (): void => {
      const error = timeoutError(command, { printed, hasTyped, isRunning: isRunning(), timeoutMs })
      if (!hasTyped) return settle(() => reject(error))
      timedOut = error
      socket.write(INTERRUPT)
      timer = setTimeout(() => settle(() => reject(error)), INTERRUPT_PATIENCE_MS)
    }
    let timer = setTimeout(onTimeout, timeoutMs)
    const askForPrompt = (): void => {
      // Cancels a partly received command, which the shell would join with the new input.
      const isStuck = typedAt !== undefined || continuationAtEnd.test(printed.replaceAll('\r', ''))
      typedAt = undefined
      askedMs = performance.now()
      socket.write(isStuck ? `${INTERRUPT}\n` : '\n')
    }
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      printed += chunk
      const match = finished.exec(printed)
      if (match !== null) return settle(() => resolve({ output: (match[1] ?? '').replaceAll('\r', ''), exitCode: Number(match[2]) }))
      // The command became part of another client's unfinished line. Waiting for it is useless.
      const isContinued = typedAt !== undefined && continuationAtEnd.test(printed.slice(typedAt).replaceAll('\r', ''))
      if (isContinued && !isRunning() && timedOut === undefined) return askForPrompt()
      if (!promptAtEnd.test(printed)) return
      const failure = timedOut
      if (failure !== undefined) return settle(() => reject(failure))
      // The shell discards input while it changes terminal modes around its prompt, so the command
      // is typed after the prompt.
      if (typedAt !== undefined) return
      typedAt = printed.length
      hasTyped = true
      socket.write(line)
    })
    // A stream through the API reports what is written while it closes; `close` follows.
    socket.on('error', () => {})
    socket.on('close', () => settle(() => reject(timedOut ?? new ConsoleClosed(hasTyped))))
    askForPrompt()
    const again = setInterval(() => {
      const patienceMs = typedAt === undefined ? PROMPT_PATIENCE_MS : ANSWER_PATIENCE_MS
      if (timedOut === undefined && !isRunning() && performance.now() - askedMs >= patienceMs) askForPrompt()
    }, PROMPT_PATIENCE_MS / 4)
  })
}

interface Progress {
  readonly printed: string
  readonly hasTyped: boolean
  readonly isRunning: boolean
  readonly timeoutMs: number
}

function timeoutError(command: string, { printed, hasTyped, isRunning, timeoutMs }: Progress): ConsoleError {
  const start = `Timed out after ${Math.round(timeoutMs / 1000)} s waiting for the guest to run "${command}"`
  const last = printed.trim().split('\n').slice(-3).join('\n')
  if (isRunning) return new ConsoleError(`${start}: it still ran, and was interrupted; use a longer --timeout. It printed: ${last}`)
  if (hasTyped) return new ConsoleError(`${start}: its shell did not begin to run it. The console shows: ${last}`)
  if (last !== '') return new ConsoleError(`${start}: the console shows no shell prompt. It shows: ${last}`)
  return new ConsoleError(`${start}: the console is silent. The guest may still boot, or another client may be connected to its console`)
}

/** Encodes a command as one line: the shell loses input between several. */
function commandLine(command: string, id: string): string {
  const evaluated = command.includes('\n')
    ? `"$(echo ${Buffer.from(command).toString('base64')} | base64 -d)"`
    : `'${command.replaceAll("'", `'\\''`)}'`
  const marker = `'\\n<%s-${id}>\\n' "$((40+2))"`
  return `printf ${marker}; eval ${evaluated}; printf '\\n<%s-${id}-%s>\\n' "$((40+2))" "$?"\n`
}

import type { IPty } from '@lydell/node-pty'
import type { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import type { CommandProcess, CommandRequest } from './command-process.ts'
import { SessionRefused } from './session.ts'

/** Terminal size until the client sends its own. */
const firstSize = { cols: 80, rows: 24 }

/**
 * Runs a command on a terminal of its own. @throws SessionRefused when this machine cannot have one
 */
export async function spawnTerminal(request: CommandRequest): Promise<CommandProcess> {
  const [program = '', ...args] = request.command
  const { spawn } = await loadTerminals()
  let terminal: IPty
  try {
    terminal = spawn(program, args, {
      ...firstSize,
      name: 'xterm',
      cwd: request.workingDirectory,
      env: { TERM: 'xterm', ...request.environment },
      encoding: null,
    })
  } catch (cause) {
    throw new SessionRefused(`a terminal cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  const exited = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => resolve(signal === undefined || signal === 0 ? exitCode : 128 + signal))
  })
  return {
    pid: terminal.pid,
    stdin: request.stdin ? inputOf(terminal) : undefined,
    stdout: outputOf(terminal, exited),
    stderr: undefined,
    resize: ({ width, height }) => {
      try {
        terminal.resize(width, height)
      } catch {
        // It has ended meanwhile.
      }
    },
    exited,
  }
}

/**
 * Loads a native module, which may not exist for this machine, when the first terminal is
 * requested.
 */
async function loadTerminals(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new SessionRefused(`no terminal is possible on this machine (${why}): try without -t`, { cause })
  }
}

function outputOf(terminal: IPty, exited: Promise<unknown>): Readable {
  const output = new Readable({ read: () => terminal.resume() })
  // With the encoding null, what the types call a string is a buffer.
  terminal.onData((data: string | Uint8Array) => {
    if (!output.push(data)) terminal.pause()
  })
  void exited.then(() => output.push(null))
  return output
}

/** Control-D, which a terminal takes for the end of its input. */
const endOfInput = '\u0004'

function inputOf(terminal: IPty): Writable {
  // The library hides whether its socket can take more, and would keep without limit what a program
  // does not read.
  const { _socket: socket } = terminal as IPty & { readonly _socket?: Socket }
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      terminal.write(chunk as unknown as string)
      if (socket?.writableNeedDrain === true) socket.once('drain', () => done())
      else done()
    },
    final(done) {
      terminal.write(endOfInput)
      done()
    },
  })
}

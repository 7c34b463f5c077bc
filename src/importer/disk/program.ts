import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { ImportFailure } from '../failure.ts'

/** What programs that a worker starts depend on. */
export interface ProgramContext {
  /** Folders in which programs are found. */
  readonly path: string
  readonly signal: AbortSignal
}

/** Limits of a program that reads what strangers have made. */
export interface ProgramLimits {
  /** Address space. */
  readonly memoryBytes: number
  readonly cpuSeconds?: number
  /** Size of the largest file that it may write. */
  readonly fileBytes?: number
}

/** Debian packages of the programs. */
const packages: Readonly<Record<string, string>> = { 'qemu-img': 'qemu-utils', xz: 'xz-utils', fallocate: 'util-linux' }

/**
 * Starts a program within limits that it cannot raise, without core dumps, and with nothing of the
 * worker's environment.
 */
export function startProgram(
  command: readonly [string, ...string[]],
  { memoryBytes, cpuSeconds, fileBytes }: ProgramLimits,
  { path, signal }: ProgramContext,
): ChildProcessWithoutNullStreams {
  const limits = [
    '--core=0',
    `--as=${memoryBytes}`,
    ...(cpuSeconds === undefined ? [] : [`--cpu=${Math.ceil(cpuSeconds)}`]),
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
  ]
  const env = { PATH: path, LC_ALL: 'C' }
  return spawn('prlimit', [...limits, '--', ...command], { stdio: ['pipe', 'pipe', 'pipe'], env, signal, killSignal: 'SIGKILL' })
}

/** How a program has ended. */
export interface ProgramEnd {
  readonly code: number | null
  readonly killedBy: NodeJS.Signals | null
  /** First characters of its output. */
  readonly output: string
  readonly complaint: string
}

const longestComplaint = 2_000

/**
 * Runs a program to its end. `onOutput` sees its output as it comes.
 * @throws ImportFailure when it cannot be started
 */
export async function runProgram(
  command: readonly [string, ...string[]],
  limits: ProgramLimits,
  context: ProgramContext,
  { longestOutput = 64 * 1024, onOutput }: { readonly longestOutput?: number; readonly onOutput?: (text: string) => void } = {},
): Promise<ProgramEnd> {
  const program = startProgram(command, limits, context)
  program.stdin.on('error', () => {}).end()
  let output = ''
  let complaint = ''
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    onOutput?.(text)
    if (output.length < longestOutput) output += text
  })
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < longestComplaint) complaint += text
  })
  try {
    const [code, killedBy] = (await once(program, 'close')) as [number | null, NodeJS.Signals | null]
    if (code === missingProgram) throw notInstalled(command[0])
    return { code, killedBy, output, complaint: oneLine(complaint) }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notInstalled('prlimit')
    throw error
  }
}

/** Exit code of prlimit for a program that is not there. */
const missingProgram = 127

/** The failure for a program that is missing on this machine. */
export function notInstalled(program: string): ImportFailure {
  return new ImportFailure(
    'ProgramFailed',
    `Cannot run "${program}": install it with "apt-get install ${packages[program] ?? 'util-linux'}"`,
  )
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7E]+/g, ' ')
    .trim()
    .slice(0, 500)
}

/** Tells how a program ended that should not have ended so. */
export function describeEnd({ code, killedBy, complaint }: ProgramEnd): string {
  const how =
    killedBy === 'SIGXCPU' ? 'it used too much CPU time' : killedBy === null ? `it ended with ${code}` : `it was ended by ${killedBy}`
  return complaint === '' ? how : complaint
}

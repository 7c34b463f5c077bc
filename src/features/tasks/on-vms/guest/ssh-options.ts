import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { splitWords } from '../../program/split-words.ts'

/** Options of ssh that a user adds. */
export interface SshOptions {
  /** Port of the SSH server in the guest. */
  readonly port: number
  /** Words for ssh, without the port. */
  readonly words: readonly string[]
}

/** Flags of ssh without a value, of one letter each. */
const bareFlags = /^-[46AaCfGgKkMNnqsTtVvXxYy]+$/
/** Flags and keywords that lead to another server than the guest, or that run other commands. */
const refusedFlags: readonly string[] = ['J', 'W', 'F', 'S', 'O', 'Q', 'P']
const refusedKeywords: readonly string[] = [
  'proxycommand',
  'proxyjump',
  'proxyusefdpass',
  'hostname',
  'controlpath',
  'controlmaster',
  'localcommand',
  'permitlocalcommand',
]

/**
 * Reads `additional-ssh-options`, such as `-p 8022 -o ConnectTimeout=5`. @throws TaskFailed for
 * what the tunnel to the guest does not allow
 */
export function parseSshOptions(text: string): SshOptions {
  const words = splitWords(text)
  if (words === undefined) throw refusal('a quote is not closed')
  const kept: string[] = []
  let port = 22
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    if (bareFlags.test(word)) {
      kept.push(word)
      continue
    }
    const flag = /^-([A-Za-z])(.*)$/s.exec(word)
    if (flag === null) throw refusal(`"${word}" is no option`)
    const [, letter = '', attached = ''] = flag
    if (refusedFlags.includes(letter)) throw refusal(`"-${letter}" is not possible, as the connection goes through the API server`)
    if (attached === '') index += 1
    const value = attached === '' ? words[index] : attached
    if (value === undefined) throw refusal(`"${word}" needs a value`)
    const given = portOf(letter, value)
    if (given === undefined) kept.push(`-${letter}`, value)
    else port = given
  }
  return { port, words: kept }
}

/** The port that an option sets. @throws TaskFailed for a keyword that is refused */
function portOf(letter: string, value: string): number | undefined {
  if (letter === 'p') return validPort(value)
  if (letter !== 'o') return undefined
  const [, keyword = '', text = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*)$/s.exec(value) ?? []
  if (keyword === '') throw refusal(`"-o ${value}" is not of the form KEYWORD=VALUE`)
  if (refusedKeywords.includes(keyword.toLowerCase()))
    throw refusal(`"${keyword}" is not possible, as the connection goes through the API server`)
  return keyword.toLowerCase() === 'port' ? validPort(text) : undefined
}

function validPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw refusal(`"${text}" is no port`)
  return port
}

function refusal(why: string): TaskFailed {
  return new TaskFailed(exitCodes.badInput, `Cannot use additional-ssh-options of the connection secret: ${why}`)
}

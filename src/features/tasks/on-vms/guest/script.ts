import { badInput } from '../../exit-codes.ts'
import type { ParameterValues } from '../../program/parameters.ts'
import { checkScript } from './ssh.ts'

/**
 * Returns the script of a task: the parameter, or the words of command and args, joined by spaces
 * as ssh does, which a shell of the guest reads. Empty: there is none. @throws TaskFailed
 */
export function scriptOf(parameters: ParameterValues): string {
  const command = [...parameters.list('command'), ...parameters.list('args')].join(' ')
  const script = parameters.verbatim('script')
  const [hasCommand, hasScript] = [command.trim() !== '', script.trim() !== '']
  if (hasCommand && hasScript) throw badInput('Only one of the parameters command and script may be given')
  const chosen = hasScript ? script : command
  checkScript(chosen)
  return hasCommand || hasScript ? chosen : ''
}

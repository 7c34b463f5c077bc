import { validateName } from '#apimachinery/names.ts'
import { badInput } from '../exit-codes.ts'
import type { ParameterValues } from '../program/parameters.ts'
import type { TaskContext } from '../task.ts'

/**
 * Returns a namespace that a parameter names; that of the program when it is empty. @throws
 * TaskFailed
 */
export function namespaceOf({ parameters, namespace }: Pick<TaskContext, 'parameters' | 'namespace'>, parameter: string): string {
  const name = objectName(parameters, parameter)
  return name === '' ? namespace : name
}

/** Returns the name of an object that a parameter gives, or the empty text. @throws TaskFailed */
export function objectName(parameters: ParameterValues, parameter: string): string {
  const name = parameters.text(parameter)
  const [problem] = name === '' ? [] : validateName(name, 'dns-subdomain')
  if (problem !== undefined) throw badInput(`Parameter ${parameter} is no name of an object: ${JSON.stringify(name)}: ${problem}`)
  return name
}

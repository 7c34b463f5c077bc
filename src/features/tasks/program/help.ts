import type { TaskDefinition, TaskParameter } from '../task.ts'
import { flagOf } from './parameters.ts'
import { resultsVariable } from './results/results.ts'

/** Help of one task: its parameters and results. */
export function helpOf({ name, description, parameters, results }: TaskDefinition): string {
  const words = parameters.some(({ type }) => type === 'array') ? ' [-- WORD…]' : ''
  return [
    `Usage: steadyvm-tasks ${name} [--FLAG VALUE]…${words}`,
    '',
    description,
    '',
    'Parameters:',
    ...parameters.flatMap((parameter) => [`  ${sourceOf(parameter)}`, `      ${parameter.description}${defaultOf(parameter)}`]),
    ...(results.length === 0
      ? []
      : [
          '',
          `Results, as files in the folder that ${resultsVariable} names (default: /tekton/results):`,
          ...results.map((result) => `  ${result.name}  ${result.description}`),
        ]),
    '',
  ].join('\n')
}

/** Help of the program: its tasks. */
export function helpOfAll(tasks: readonly TaskDefinition[]): string {
  const width = Math.max(...tasks.map(({ name }) => name.length))
  return [
    'Usage: steadyvm-tasks TASK [--FLAG VALUE]… [-- WORD…]',
    '',
    'Runs one task on the cluster of its service account, or of KUBECONFIG.',
    '',
    'Tasks:',
    ...tasks.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`),
    '',
    '"steadyvm-tasks TASK --help" describes one of them.',
    '',
  ].join('\n')
}

function sourceOf(parameter: TaskParameter): string {
  const flag = `--${flagOf(parameter)} ${parameter.type === 'array' ? 'WORD' : 'VALUE'}`
  if (parameter.type === 'array') return `${flag}, repeated, or words after --`
  return parameter.environment === undefined ? flag : `${flag}, or ${parameter.environment} in the environment`
}

function defaultOf(parameter: TaskParameter): string {
  const { type, default: value } = parameter
  if (type === 'array') return ''
  if (value === undefined) return ' (required)'
  return value === '' ? '' : ` (default: ${String(value)})`
}

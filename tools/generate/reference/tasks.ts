import { exitCodes, flagOf, type TaskDefinition, type TaskParameter, tasks } from '#features/tasks/index.ts'

/** What each exit code means. */
const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'The task is done.',
  failed: 'The task failed for a reason without a code of its own.',
  badInput: 'A parameter is missing or invalid; `wait-for-vmi-status`: the failure condition is met.',
  preconditionFailed: 'What the task needs is not there: a VM, a secret, a program.',
  createFailed: 'An object cannot be created or changed.',
  waitFailed: 'A wait has ended at its limit or with a failure.',
  resultsFailed: 'The results cannot be written.',
  startFailed: 'The VM cannot be started.',
}

/** The page of guest-OS tasks: text by path. Pure. */
export function renderTasks(): readonly [path: string, text: string] {
  const lines = [
    '# Guest-OS tasks',
    '',
    "Each task is a Task of Tekton (`manifests/tekton/tasks`), with the names, parameters and results of KubeVirt's Tekton tasks v0.26.0, and `steadyvm-tasks NAME` in the image of that name. A flag wins over the environment; words after `--` are those of the array. The rights of its service account `NAME-task` are in `manifests/tekton/rbac`. Generated from the sources by `npm run generate`.",
    '',
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(exitCodes).map(([name, code]) => `| ${code} | ${meanings[name as keyof typeof exitCodes]} |`),
    '',
    'A command that `execute-in-vm` or `cleanup-vm` runs in a guest gives its own exit code. The last line of the log says which one it is.',
    ...tasks.flatMap(sectionOf),
  ]
  return ['docs/reference/tasks.md', `${lines.join('\n')}\n`]
}

function sectionOf({ name, description, parameters, results, rules }: TaskDefinition): readonly string[] {
  return [
    '',
    `## ${name}`,
    '',
    escaped(description),
    '',
    '| parameter | given by | default | meaning |',
    '|---|---|---|---|',
    ...parameters.map(
      (parameter) => `| \`${parameter.name}\` | ${sourcesOf(parameter)} | ${defaultOf(parameter)} | ${escaped(parameter.description)} |`,
    ),
    '',
    results.length === 0
      ? 'No results.'
      : `Results: ${results.map((result) => `\`${result.name}\` (${escaped(result.description)})`).join(', ')}.`,
    '',
    `Rights: ${rules.map(({ verbs, resources = [] }) => `${verbs.join(', ')} ${resources.map((each) => `\`${each}\``).join(', ')}`).join('; ')}.`,
  ]
}

function sourcesOf(parameter: TaskParameter): string {
  if (parameter.type === 'array') return `\`--${flagOf(parameter)}\`, words`
  return [`\`--${flagOf(parameter)}\``, ...(parameter.environment === undefined ? [] : [`\`${parameter.environment}\``])].join(', ')
}

function defaultOf({ default: value, type }: TaskParameter): string {
  if (type === 'array') return 'none'
  if (value === undefined) return 'required'
  return value === '' ? '' : `\`${String(value)}\``
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
